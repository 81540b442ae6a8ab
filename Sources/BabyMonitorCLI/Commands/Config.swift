import ArgumentParser
import BabyMonitor
import Switchyard

/// `config explain`.
struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Shows the configuration.", subcommands: [Explain.self])

    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "explain",
            abstract: "Shows each key, its value, and where the value came from; secrets are hidden.",
            discussion: """
                Of the sources that have a key the first counts: flags; the environment, SWITCHYARD_ and the key in capitals with _ \
                for each point (SWITCHYARD_STORE_POSTGRES_PASSWORD); the secrets directory, which SWITCHYARD_CONFIG_SECRETS or \
                config.secrets names, with a file for each key and - for each point (store-postgres-password); the file, which \
                --config or SWITCHYARD_CONFIG_FILE names; defaults. What libpq reads by itself (PGPASSWORD, PGSERVICE, …) is shown \
                where it counts.
                """)

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let (configuration, container) = try await Session.configuration(options)
            let profile = try configuration.values.profile(among: BabyMonitorApp.profiles)
            let place = Place(
                name: profile.name, appGroup: profile.appGroup, directory: container.path,
                cloudContainer: profile.cloudContainer)
            if options.json {
                return try Terminal.print(
                    json: Answer(explanation: configuration.explanation, profile: place))
            }
            print(configuration.explanation)
            print(
                """

                The profile \(place.name) means:
                app group        \(place.appGroup)
                its directory    \(place.directory)
                cloud container  \(place.cloudContainer)
                """)
        }
    }

    /// What a profile stands for.
    private struct Place: Encodable {
        let name: String
        let appGroup: String
        let directory: String
        let cloudContainer: String
    }

    /// The explanation, and beside its members the profile.
    private struct Answer: Encodable {
        let explanation: ConfigurationExplanation
        let profile: Place

        private enum Keys: CodingKey {
            case profile
        }

        func encode(to encoder: any Encoder) throws {
            try explanation.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(profile, forKey: .profile)
        }
    }
}
