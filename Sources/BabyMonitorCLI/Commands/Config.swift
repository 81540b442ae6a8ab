import ArgumentParser
import BabyMonitor
import Switchyard
import SwitchyardAppGroup
import SwitchyardConfiguration

/// `config explain`.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Shows the configuration.", subcommands: [Explain.self])

    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Shows each key, its value, and where the value came from; secrets are hidden.",
            discussion: """
                A key's value comes from the first source that has it: flags; the environment, SWITCHYARD_ and the key in capitals \
                with _ for each point (SWITCHYARD_STORE_POSTGRES_PASSWORD); the secrets directory, set by SWITCHYARD_CONFIG_SECRETS \
                or config.secrets, with a file for each key and - for each point (store-postgres-password); the file, set by \
                --config or SWITCHYARD_CONFIG_FILE; defaults. What libpq reads by itself (PGPASSWORD, PGSERVICE, …) is shown \
                where it takes effect.
                """)

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let (configuration, container) = try await Session.configuration(options)
            let profile = try configuration.values.profile(among: BabyMonitorApp.profiles)
            let explanation = ExplanationOutput(configuration.explanation, profile, container)
            if options.json { return try Terminal.print(json: explanation) }
            Terminal.print(
                lines: configuration.explanation.description.split(separator: "\n").map { String($0) })
            Terminal.print(
                lines: [
                    "", "The profile \(explanation.profile.name) means:",
                    "app group        \(explanation.profile.appGroup)",
                    "its directory    \(explanation.profile.directory ?? "none: neither XDG_DATA_HOME nor HOME is an absolute path")",
                    "cloud container  \(explanation.profile.cloudContainer)",
                ])
        }
    }
}

/// The explanation in the command's output.
private struct ExplanationOutput: Encodable {
    struct Entry: Encodable {
        let key: String
        @OrNull var value: String?
        @OrNull var origin: Origin?
        let isDefault: Bool
        let isSecret: Bool
        let isUsed: Bool
        let variable: String
        let summary: String

        init(_ entry: ConfigurationExplanation.Entry) {
            key = entry.key
            isDefault = entry.isDefault
            isSecret = entry.isSecret
            isUsed = entry.isUsed
            variable = entry.variable
            summary = entry.summary
            value = entry.value
            origin = entry.origin.map { Origin($0) }
        }
    }

    struct Origin: Encodable {
        let source: String
        @OrNull var name: String?
        @OrNull var line: Int?
        @OrNull var url: String?

        init(_ origin: SettingOrigin) {
            source = origin.source.rawValue
            name = origin.name
            line = origin.line
            url = origin.url
        }
    }

    /// The places that belong to the profile.
    struct Place: Encodable {
        let name: String
        let appGroup: String
        @OrNull var directory: String?
        let cloudContainer: String
    }

    let backend: String
    let entries: [Entry]
    let profile: Place

    init(
        _ explanation: ConfigurationExplanation, _ profile: AppProfile, _ container: Session.Container
    ) {
        backend = explanation.backend
        entries = explanation.entries.map { Entry($0) }
        self.profile = Place(
            name: profile.name, appGroup: profile.appGroup,
            directory: OrNull(wrappedValue: (try? container.get())?.path),
            cloudContainer: profile.cloudContainer)
    }
}
