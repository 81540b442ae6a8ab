public import Foundation
internal import SwitchyardCore

/// Small settings that an app group's programs share: the group's user defaults suite on Apple systems, elsewhere
/// one JSON file per key, replaced atomically.
///
/// Each value is stored separately, so programs that set different keys cannot overwrite each other's
/// changes. Every read and write goes to the file system: use this for single values, not for rows.
public struct AppGroupDefaults: Sendable {
    private let storage: any AppGroupDefaultsStorage

    /// Opens the settings of an app group: its suite on Apple systems, otherwise files in its directory.
    ///
    /// - Throws: `configuration` if the system has no such suite.
    public init(_ container: AppGroupContainer) throws {
        #if canImport(Darwin)
            storage = try SuiteDefaultsStorage(suite: container.identifier)
        #else
            storage = FileDefaultsStorage(container: container)
        #endif
    }

    /// Opens the settings of an app group as files in its directory, on every system.
    public init(filesIn container: AppGroupContainer) {
        storage = FileDefaultsStorage(container: container)
    }

    /// The text stored under a key; nil if not set.
    ///
    /// - Throws: `corrupted` if it holds something else, `inputOutput` if it cannot be read.
    public func string(_ key: String) throws -> String? {
        try read(key, "a text") { if case .string(let value) = $0 { value } else { nil } }
    }

    /// The integer stored under a key; nil if not set.
    ///
    /// - Throws: `corrupted` if it holds something else, `inputOutput` if it cannot be read.
    public func integer(_ key: String) throws -> Int? {
        try read(key, "a whole number") { if case .integer(let value) = $0 { value } else { nil } }
    }

    /// The number stored under a key, which may have been set as an integer; nil if not set.
    ///
    /// - Throws: `corrupted` if it holds something else, `inputOutput` if it cannot be read.
    public func double(_ key: String) throws -> Double? {
        try read(key, "a number") {
            switch $0 {
            case .double(let value): value
            case .integer(let value): Double(exactly: value)
            default: nil
            }
        }
    }

    /// The boolean stored under a key; nil if not set.
    ///
    /// - Throws: `corrupted` if it holds something else, `inputOutput` if it cannot be read.
    public func bool(_ key: String) throws -> Bool? {
        try read(key, "true or false") { if case .bool(let value) = $0 { value } else { nil } }
    }

    /// The bytes stored under a key; nil if not set.
    ///
    /// - Throws: `corrupted` if it holds something else, `inputOutput` if it cannot be read.
    public func data(_ key: String) throws -> Data? {
        try read(key, "bytes") { if case .data(let value) = $0 { value } else { nil } }
    }

    /// Sets a key to a text.
    ///
    /// - Throws: `invalidArgument` if the key is invalid, `inputOutput` if it cannot be written.
    public func set(_ value: String, for key: String) throws { try write(.string(value), key) }

    /// Sets a key to a whole number.
    ///
    /// - Throws: `invalidArgument` if the key is invalid, `inputOutput` if it cannot be written.
    public func set(_ value: Int, for key: String) throws { try write(.integer(value), key) }

    /// Sets a key to a number.
    ///
    /// - Throws: `valueNotRepresentable` if it is not finite, `invalidArgument` if the key is invalid,
    ///   `inputOutput` if it cannot be written.
    public func set(_ value: Double, for key: String) throws {
        guard value.isFinite else {
            throw StoreError(.valueNotRepresentable, "The setting \(key) accepts only finite numbers.")
        }
        try write(.double(value), key)
    }

    /// Sets a key to a boolean.
    ///
    /// - Throws: `invalidArgument` if the key is invalid, `inputOutput` if it cannot be written.
    public func set(_ value: Bool, for key: String) throws { try write(.bool(value), key) }

    /// Sets a key to bytes.
    ///
    /// - Throws: `invalidArgument` if the key is invalid, `inputOutput` if it cannot be written.
    public func set(_ value: Data, for key: String) throws { try write(.data(value), key) }

    /// Removes a key, if it is set.
    ///
    /// - Throws: `invalidArgument` if the key is invalid, `inputOutput` if it cannot be removed.
    public func remove(_ key: String) throws { try write(nil, key) }

    private func read<Value>(
        _ key: String, _ expected: String, _ convert: (AppGroupDefaultsValue) -> Value?
    ) throws -> Value? {
        try validate(key)
        guard let value = try storage.value(key) else { return nil }
        guard let converted = convert(value) else {
            throw StoreError(
                .corrupted,
                "The setting \(key) holds \(value.kind) where \(expected) is expected. Set it again.")
        }
        return converted
    }

    private func write(_ value: AppGroupDefaultsValue?, _ key: String) throws {
        try validate(key)
        try storage.set(value, key)
    }

    private func validate(_ key: String) throws {
        guard !key.isEmpty, key.utf8.count <= 64, !key.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "The key of a setting must have 1 to 64 bytes and no NUL.")
        }
    }
}
