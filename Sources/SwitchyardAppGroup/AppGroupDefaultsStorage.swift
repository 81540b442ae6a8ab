internal import Foundation
internal import SwitchyardCore

/// The storage behind an app group's settings.
protocol AppGroupDefaultsStorage: Sendable {
    /// The value of a key; nil if not set.
    func value(_ key: String) throws -> AppGroupDefaultsValue?
    /// Sets a key; nil removes it.
    func set(_ value: AppGroupDefaultsValue?, _ key: String) throws
}

/// Keeps each setting in a JSON file of its own, in the folder `Defaults` of an app group's directory.
///
/// A single file for all settings would have to be locked while it is read, changed and written back, and a
/// program suspended at that moment would block the others indefinitely.
struct FileDefaultsStorage: AppGroupDefaultsStorage {
    /// The directory of the app group.
    let container: AppGroupContainer

    /// The largest file that is accepted, in bytes.
    static let sizeLimit = 1 << 24

    private var directory: String { container.path(of: "Defaults") }

    /// The file of a key: ASCII letters, digits and `-` are kept, other bytes are percent-encoded.
    private func file(_ key: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)
        let name = key.utf8.map { byte in
            if plain.contains(byte) { return String(UnicodeScalar(byte)) }
            // Capital letters too, because some file systems ignore case.
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "%0" + digits : "%" + digits
        }
        return directory + "/" + name.joined() + ".json"
    }

    func value(_ key: String) throws -> AppGroupDefaultsValue? {
        let path = file(key)
        let content: SmallFile
        do {
            content = try SmallFile(path: path, limit: Self.sizeLimit)
        } catch {
            if case .missing = error { return nil }
            throw StoreError(
                .inputOutput, "The setting \(key) cannot be read: its file \(path) \(error.words).")
        }
        do {
            return try JSONDecoder().decode(AppGroupDefaultsValue.self, from: Data(content.bytes))
        } catch {
            throw StoreError(
                .corrupted,
                "The file \(path) of the setting \(key) is damaged. Set it again, or remove the file.")
        }
    }

    func set(_ value: AppGroupDefaultsValue?, _ key: String) throws {
        let path = file(key)
        guard let value else {
            guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else {
                throw StoreError(
                    .inputOutput, "The setting \(key) cannot be removed: \(String(cString: strerror(errno)))."
                )
            }
            return
        }
        try container.create()
        try PrivateDirectory.create(directory)
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try SmallFile.replace(path: path, with: Array(encoder.encode(value)))
        } catch {
            throw StoreError(
                .inputOutput, "The setting \(key) cannot be written to \(path).", underlying: error)
        }
    }
}

#if canImport(Darwin)
    /// Keeps settings in the user defaults suite of an app group.
    struct SuiteDefaultsStorage: AppGroupDefaultsStorage {
        /// The name of the suite.
        let suite: String

        /// Opens the suite with this name.
        ///
        /// - Throws: `configuration` if the system has no such suite.
        init(suite: String) throws {
            self.suite = suite
            _ = try defaults
        }

        // Created for each use: an instance is not Sendable, and the system keeps the values.
        private var defaults: UserDefaults {
            get throws {
                guard let defaults = UserDefaults(suiteName: suite) else {
                    throw StoreError(
                        .configuration,
                        "The system has no suite of user defaults for the app group `\(suite)`.")
                }
                return defaults
            }
        }

        func value(_ key: String) throws -> AppGroupDefaultsValue? {
            switch try defaults.object(forKey: key) {
            case nil: return nil
            case let text as String: return .string(text)
            case let data as Data: return .data(data)
            case let number as NSNumber:
                if CFGetTypeID(number) == CFBooleanGetTypeID() { return .bool(number.boolValue) }
                if CFNumberIsFloatType(number) { return .double(number.doubleValue) }
                return .integer(number.intValue)
            default:
                throw StoreError(
                    .corrupted,
                    "The setting \(key) holds a list or another unsupported value. Set it again.")
            }
        }

        func set(_ value: AppGroupDefaultsValue?, _ key: String) throws {
            let defaults = try defaults
            switch value {
            case nil: defaults.removeObject(forKey: key)
            case .string(let value): defaults.set(value, forKey: key)
            case .integer(let value): defaults.set(value, forKey: key)
            case .double(let value): defaults.set(value, forKey: key)
            case .bool(let value): defaults.set(value, forKey: key)
            case .data(let value): defaults.set(value, forKey: key)
            }
        }
    }
#endif
