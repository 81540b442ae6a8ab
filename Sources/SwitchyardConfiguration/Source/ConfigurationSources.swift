/// The sources of a configuration, passed in by the caller: library code does not read the environment itself.
///
/// A setting's value comes from the first of these that has it: flags, environment, secrets directory, file,
/// defaults. Printing or dumping the sources reveals no values.
public struct ConfigurationSources: Sendable {
    /// The flags that were given on the command line.
    public var flags: [Flag]
    /// The environment.
    ///
    /// Variables that begin with `SWITCHYARD_` are settings, and `HOME` replaces `~` in paths. Everything else
    /// is ignored.
    public var environment: [String: String]
    /// Variables that begin with `SWITCHYARD_` but are not settings; one that ends in `*` matches every name
    /// with that prefix.
    public var ignoredEnvironment: [String]
    /// The configuration file to read if `config.file` is not set.
    ///
    /// The file may be missing.
    public var file: String?
    /// The secrets directory to read if `config.secrets` is not set.
    ///
    /// The directory may be missing.
    public var secretsDirectory: String?

    /// A command-line flag that sets a setting.
    public struct Flag: Sendable {
        /// The flag as the user writes it, such as `--store`.
        public var name: String
        /// The key of the setting, such as `store.url`.
        public var key: String
        /// The text that was given.
        public var value: String

        /// Creates a flag.
        public init(_ name: String, key: String, value: String) {
            self.name = name
            self.key = key
            self.value = value
        }
    }

    /// Creates the sources; those left out are empty.
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
    /// The names of the flags, the file and the directory, without any values.
    public var description: String {
        let flags = flags.map(\.name).joined(separator: " ")
        return "flags [\(flags)], environment, secrets \(secretsDirectory ?? "none"), file \(file ?? "none")"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Contains no values, since debuggers and `dump` show it.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension ConfigurationSources.Flag: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The flag and its key, without its value.
    public var description: String { "\(name) (\(key))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Contains no value, since debuggers and `dump` show it.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
