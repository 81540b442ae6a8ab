/// Where configuration may come from: all of it handed in, so that library code reads no environment of its
/// own.
///
/// A setting is taken from the first of these that has it: flags, environment, secrets directory, file,
/// defaults. Printing or dumping it shows no value.
public struct ConfigurationSources: Sendable {
    /// The flags that were given on the command line.
    public var flags: [Flag]
    /// The environment.
    ///
    /// The names that begin with `SWITCHYARD_` are read, `HOME` stands for `~` in paths, and the rest is left
    /// alone.
    public var environment: [String: String]
    /// Names in the environment that begin with `SWITCHYARD_` and are no settings; one that ends in `*`
    /// stands for all names that begin so.
    public var ignoredEnvironment: [String]
    /// The configuration file where the setting `config.file` names none.
    ///
    /// It need not be there.
    public var file: String?
    /// The secrets directory where the setting `config.secrets` names none.
    ///
    /// It need not be there.
    public var secretsDirectory: String?

    /// A flag on the command line that stands for a setting.
    public struct Flag: Sendable {
        /// The flag as the user writes it, such as `--store`.
        public var name: String
        /// The key of the setting, such as `store.url`.
        public var key: String
        /// The text that was given.
        public var value: String

        /// Takes a flag.
        public init(_ name: String, key: String, value: String) {
            self.name = name
            self.key = key
            self.value = value
        }
    }

    /// Takes sources; those left out have nothing.
    public init(
        flags: [Flag] = [], environment: [String: String] = [:], ignoredEnvironment: [String] = [],
        file: String? = nil, secretsDirectory: String? = nil
    ) {
        self.flags = flags
        self.environment = environment
        self.ignoredEnvironment = ignoredEnvironment
        self.file = file
        self.secretsDirectory = secretsDirectory
    }
}

extension ConfigurationSources: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the flags and of the file and directory, without any value.
    public var description: String {
        let flags = flags.map(\.name).joined(separator: " ")
        return "flags [\(flags)], environment, secrets \(secretsDirectory ?? "none"), file \(file ?? "none")"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// What a debugger or `dump` shows: no password.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension ConfigurationSources.Flag: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The flag and its key, without its value.
    public var description: String { "\(name) (\(key))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// What a debugger or `dump` shows: no password.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
