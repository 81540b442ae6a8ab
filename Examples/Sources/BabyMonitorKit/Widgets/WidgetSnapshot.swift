public import Foundation

/// What a widget shows about one baby, written by the app and read by the widget's own process.
///
/// As JSON it has the keys `id`, `name`, `totalProgress`, `feedingProgress`, `updatedAt` (seconds since
/// 2001-01-01 UTC), `feedTerm` (seconds) and `isFeeding`.
public struct WidgetSnapshot: Sendable, Hashable, Identifiable {
    /// The baby's id.
    public let id: UUID
    /// The baby's name.
    public let name: String
    /// The time since the last feed began, as a fraction of the feeding interval; 0 without a feed.
    public let totalProgress: Double
    /// The duration of the current or last feed, as a fraction of the feeding interval.
    public let feedingProgress: Double
    /// When the snapshot was taken.
    public let updatedAt: Date
    /// The feeding interval in seconds, at least 1.
    public let feedTerm: TimeInterval
    /// Whether the baby is being fed.
    public let isFeeding: Bool

    /// Creates a snapshot from its values; the feeding interval is adjusted by `FeedTerm.shown`.
    public init(
        id: UUID, name: String, totalProgress: Double, feedingProgress: Double, updatedAt: Date,
        feedTerm: TimeInterval, isFeeding: Bool
    ) {
        self.id = id
        self.name = name
        self.totalProgress = totalProgress
        self.feedingProgress = feedingProgress
        self.updatedAt = updatedAt
        self.feedTerm = FeedTerm.shown(feedTerm)
        self.isFeeding = isFeeding
    }

    /// Computes the progress from the last feeds.
    ///
    /// - Parameters:
    ///   - id: The baby's id.
    ///   - name: The baby's name.
    ///   - feedTerm: The feeding interval in seconds.
    ///   - isFeeding: Whether the baby is being fed.
    ///   - lastStart: The start of the last feed, including one in progress.
    ///   - lastFinished: The start and the end of the feed that ended last.
    ///   - now: The current time.
    public init(
        id: UUID, name: String, feedTerm: TimeInterval, isFeeding: Bool, lastStart: Date?,
        lastFinished: (start: Date, end: Date)?, now: Date
    ) {
        let term = FeedTerm.shown(feedTerm)
        // A clock that was set back must not make the time negative.
        let total = lastStart.map { max(0, now.timeIntervalSince($0)) / term } ?? 0
        let finished = lastFinished.map { max(0, $0.end.timeIntervalSince($0.start)) / term } ?? 0
        self.init(
            id: id, name: name, totalProgress: total, feedingProgress: isFeeding ? total : finished,
            updatedAt: now, feedTerm: term, isFeeding: isFeeding)
    }
}

extension WidgetSnapshot: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, name, totalProgress, feedingProgress, updatedAt, feedTerm, isFeeding
    }

    /// Decodes a snapshot; one of an older release, without `feedTerm` and `isFeeding`, gets three hours and
    /// false.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(UUID.self, forKey: .id),
            name: try container.decode(String.self, forKey: .name),
            totalProgress: try container.decode(Double.self, forKey: .totalProgress),
            feedingProgress: try container.decode(Double.self, forKey: .feedingProgress),
            updatedAt: Date(
                timeIntervalSinceReferenceDate: try container.decode(Double.self, forKey: .updatedAt)),
            feedTerm: try container.decodeIfPresent(Double.self, forKey: .feedTerm) ?? FeedTerm.standard,
            isFeeding: try container.decodeIfPresent(Bool.self, forKey: .isFeeding) ?? false)
    }

    /// Decodes a snapshot from its file's contents.
    ///
    /// - Throws: `DecodingError` if it is invalid.
    public init(json: Data) throws { self = try JSONDecoder().decode(Self.self, from: json) }

    /// The contents of the snapshot's file: the keys in the order above, without spaces.
    ///
    /// - Throws: `EncodingError` if a number is not finite.
    public func json() throws -> Data {
        let members = try CodingKeys.allCases.map { key in
            let value =
                switch key {
                case .id: try Self.text(id.uuidString)
                case .name: try Self.text(name)
                case .totalProgress: try Self.text(totalProgress)
                case .feedingProgress: try Self.text(feedingProgress)
                case .updatedAt: try Self.text(updatedAt.timeIntervalSinceReferenceDate)
                case .feedTerm: try Self.text(feedTerm)
                case .isFeeding: try Self.text(isFeeding)
                }
            return "\"\(key.rawValue)\":\(value)"
        }
        return Data("{\(members.joined(separator: ","))}".utf8)
    }

    // `JSONEncoder` writes keys in no defined order, so it encodes only the single values.
    private static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
