/// The two histories that can be stored in CSV files.
public enum HistoryCSVKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Feeds.
    case feeds
    /// Diaper changes.
    case diapers
}

/// The two formats of a file.
///
/// The header shows which one a file has.
public enum HistoryCSVFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app's own files, which name the baby and hold what people entered: times are cut to milliseconds, and
    /// end times, memos and ids are left out.
    case legacy
    /// Every attribute, including ids, so that nothing is lost.
    case full
}

extension HistoryCSVKind {
    /// The columns of a legacy file, in order.
    public var legacyColumns: [String] {
        switch self {
        case .feeds: ["babyName", "timestamp", "amountValue", "amountUnit", "feedType"]
        case .diapers: ["babyName", "timestamp", "diaperType"]
        }
    }
}
