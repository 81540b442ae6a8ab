/// The two histories that are kept in CSV files.
public enum HistoryCSVKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Feeds.
    case feeds
    /// Diaper changes.
    case diapers
}

/// The two forms of a file.
///
/// Which one a file has is known by its header.
public enum HistoryCSVFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app's own files, which name the baby and hold what people typed in: times are cut to milliseconds,
    /// and ends, memos and ids are left out.
    case legacy
    /// Every attribute, ids included, so that nothing is lost.
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
