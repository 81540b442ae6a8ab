public import Foundation
public import SwitchyardAppGroup

/// The preferences that the widget needs too.
public enum SharedPreferences {
    /// What a preference is.
    public enum Kind: Sendable {
        case text, number, flag
    }

    /// The keys, which are the same in both places.
    public static let keys: [(key: String, kind: Kind)] = [
        ("preferredWeightUnit", .text), ("goalWeight", .number), ("showSmoothing", .flag),
        ("milestoneInterval", .text),
    ]

    /// Copies the app's own preferences into those of the app group, but only where these have no value: what the user
    /// has chosen since is kept.
    ///
    /// - Returns: The keys that were copied.
    /// - Throws: `StoreError` if the shared preferences cannot be read or written.
    @discardableResult
    public static func copy(from own: UserDefaults, to shared: AppGroupDefaults) throws -> [String] {
        var copied: [String] = []
        for (key, kind) in keys {
            switch kind {
            case .text:
                guard try shared.string(key) == nil, let value = own.string(forKey: key) else { continue }
                try shared.set(value, for: key)
            case .number:
                guard try shared.double(key) == nil, own.object(forKey: key) != nil else { continue }
                try shared.set(own.double(forKey: key), for: key)
            case .flag:
                guard try shared.bool(key) == nil, own.object(forKey: key) != nil else { continue }
                try shared.set(own.bool(forKey: key), for: key)
            }
            copied.append(key)
        }
        return copied
    }
}
