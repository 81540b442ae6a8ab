import Foundation

/// What the command answers with `--json`, as its users would read it.
struct BabyAnswer: Decodable, Equatable {
    let id: String
    let name: String
    let createdAt: Date
    let feedTermMinutes: Double
}

struct StatusAnswer: Decodable, Equatable {
    let name: String
    let isFeeding: Bool
    let feedingSince: Date?
    let lastFeedStart: Date?
    let lastDiaperChange: Date?
    let needsFeed: Bool
    let needsDiaperChange: Bool
}

struct HistoryAnswer: Decodable, Equatable {
    let id: String
    let kind: String
    let time: Date
    let baby: String?
    let what: String
    let memo: String?
}

struct ImportAnswer: Decodable, Equatable {
    var createdBabies = 0
    var insertedFeeds = 0
    var updatedFeeds = 0
    var skippedFeeds = 0
    var insertedDiapers = 0
    var skippedDiapers = 0
    var skippedUnknownBabies: [String] = []
    var errors: [String] = []
}

struct IntentAnswer: Decodable, Equatable {
    let intent: String
    let dialog: String?
    let value: String?
}

struct StoreAnswer: Decodable, Equatable {
    let backend: String
    let location: String
    let generation: Int
    let role: String
    let schemaVersion: String
    let fingerprint: String
    let rows: [String: Int]
}

struct SnapshotAnswer: Decodable, Equatable {
    let id: String
    let name: String
    let totalProgress: Double
    let feedingProgress: Double
    let updatedAt: Double
    let feedTerm: Double
    let isFeeding: Bool
}

struct ConfigurationAnswer: Decodable {
    struct Entry: Decodable {
        struct Origin: Decodable {
            let source: String
            let name: String?
        }

        let key: String
        let value: String?
        let isSecret: Bool
        let origin: Origin?
        let variable: String
    }

    let backend: String
    let entries: [Entry]

    subscript(key: String) -> Entry? { entries.first { $0.key == key } }
}
