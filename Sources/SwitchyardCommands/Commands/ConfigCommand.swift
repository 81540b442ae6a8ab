public import ArgumentParser
internal import SwitchyardAppGroup
internal import SwitchyardConfiguration

/// `config explain`.
public struct ConfigCommand<App: StoreApp>: AsyncParsableCommand {
    /// The word `config`, and the command below it.
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "config", abstract: "Shows the configuration.", subcommands: [Explain.self])
    }

    /// Creates the declaration that the parser reads.
    public init() {}

    package struct Explain: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "explain",
                abstract: "Shows each key, its value, and where the value came from; secrets are hidden.",
                discussion: """
                    A key's value comes from the first source that has it: flags; the environment, SWITCHYARD_ and the key in capitals \
                    with _ for each point (SWITCHYARD_STORE_POSTGRES_PASSWORD); the secrets directory, set by SWITCHYARD_CONFIG_SECRETS \
                    or config.secrets, with a file for each key and - for each point (store-postgres-password); the file, set by \
                    --config or SWITCHYARD_CONFIG_FILE; defaults. What libpq reads by itself (PGPASSWORD, PGSERVICE, …) is shown \
                    where it takes effect.
                    """)
        }

        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let (configuration, container) = try await StoreSession<App>.configuration(
                call, isOpened: false)
            let profile =
                App.profiles.isEmpty ? nil : try configuration.values.profile(among: App.profiles)
            let explanation = ExplanationOutput(configuration.explanation, profile, try? container.get())
            if call.json { return try Terminal.print(json: explanation) }
            Terminal.print(
                lines: configuration.explanation.description.split(separator: "\n").map { String($0) })
            guard let profile = explanation.profile else { return }
            Terminal.print(
                lines: [
                    "", "The profile \(profile.name) means:", "app group        \(profile.appGroup)",
                    "its directory    \(profile.directory ?? "none: neither XDG_DATA_HOME nor HOME is an absolute path")",
                    "cloud container  \(profile.cloudContainer)",
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
    @OrNull var profile: Place?

    init(
        _ explanation: ConfigurationExplanation, _ profile: AppProfile?, _ container: AppGroupContainer?
    ) {
        backend = explanation.backend
        entries = explanation.entries.map { Entry($0) }
        self.profile = profile.map { profile in
            Place(
                name: profile.name, appGroup: profile.appGroup,
                directory: OrNull(wrappedValue: container?.path), cloudContainer: profile.cloudContainer)
        }
    }
}
