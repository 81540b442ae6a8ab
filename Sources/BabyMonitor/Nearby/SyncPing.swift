public import Foundation

/// The one message that devices near each other exchange: something was written, look again.
///
/// It is JSON of the form `{"type":"syncPing","ts":<unix seconds>}`.
public struct SyncPing: Sendable, Hashable {
    /// When it was sent, in seconds since 1970 UTC; nil if the sender did not say.
    public let sentAt: TimeInterval?

    /// A ping that is sent at a time; whole seconds are kept.
    public init(sentAt date: Date) { sentAt = date.timeIntervalSince1970.rounded(.down) }

    /// Reads a message; nil if it is one of another type, or none at all, which the receiver ignores.
    ///
    /// - Parameter data: What a peer sent, which can be anything.
    public init?(_ data: Data) {
        guard let message = try? JSONDecoder().decode(Message.self, from: data), message.type == Self.type
        else {
            return nil
        }
        sentAt = message.ts
    }

    /// The message as it is sent.
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
            // A ping counts even where its time makes no sense: the receiver acts on the type alone.
            ts = try? container.decode(TimeInterval.self, forKey: .ts)
        }
    }
}
