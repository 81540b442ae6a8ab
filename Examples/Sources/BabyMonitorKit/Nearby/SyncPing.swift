public import Foundation

/// The only message that nearby devices exchange: something was written, so look again.
///
/// It is JSON of the form `{"type":"syncPing","ts":<unix seconds>}`.
public struct SyncPing: Sendable, Hashable {
    /// When it was sent, in seconds since 1970 UTC; nil if the sender did not say.
    public let sentAt: TimeInterval?

    /// Creates a ping sent at a given time, kept in whole seconds.
    public init(sentAt date: Date) { sentAt = date.timeIntervalSince1970.rounded(.down) }

    /// Reads a message; nil if it has another type or is invalid, which the receiver ignores.
    ///
    /// - Parameter data: A peer's message, which can be anything.
    public init?(_ data: Data) {
        guard let message = try? JSONDecoder().decode(Message.self, from: data), message.type == Self.type
        else {
            return nil
        }
        sentAt = message.ts
    }

    /// The bytes of the message.
    public var data: Data {
        let seconds = sentAt.flatMap { Int64(exactly: $0.rounded(.down)) } ?? 0
        return Data(#"{"type":"\#(Self.type)","ts":\#(seconds)}"#.utf8)
    }

    private static let type = "syncPing"

    private struct Message: Decodable {
        let type: String
        let ts: TimeInterval?

        enum CodingKeys: CodingKey {
            case type
            case ts
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            // An invalid time does not invalidate a ping: the receiver acts on the type alone.
            ts = try? container.decode(TimeInterval.self, forKey: .ts)
        }
    }
}
