public import Foundation

/// The typed id of a model: a UUID that knows which entity it points at.
///
/// A new one is a UUID of version 7, so that ids sort by the time of their making. Ids compare by their
/// bytes, on every backend.
///
/// In a `#Predicate`, the id that an attribute holds leads to the row that it points at: `$0.film[\.title]`.
@dynamicMemberLookup
public struct Identifier<Entity>: Hashable, Comparable, Sendable {
    /// The 16 bytes behind the type.
    public let uuid: UUID

    /// Mints a new id, greater than every one that this process minted before.
    public init() { uuid = UUIDv7.next() }

    /// Takes an id made elsewhere.
    @inlinable
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads the usual text form, in upper or lower case; nil if it is anything else.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// Whether the first comes before the second.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.uuid < rhs.uuid }
}

extension Identifier: CustomStringConvertible {
    /// The text form, in lower case.
    public var description: String { uuid.uuidString.lowercased() }
}

extension Identifier: Codable {
    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        uuid = try decoder.singleValueContainer().decode(UUID.self)
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uuid)
    }
}

/// Names the transaction of one write, so that its outcome can be asked for later.
public enum WriteOperation {}

/// The id of one write.
public typealias OperationID = Identifier<WriteOperation>

extension Identifier where Entity == WriteOperation {
    /// How many seconds a store keeps the outcome of a write: seven days, by the clock of the server or, where
    /// there is none, of the device.
    public static var retention: TimeInterval { 7 * 86_400 }

    /// How many of the last outcomes a store without a server keeps in any case, because the clock of a device
    /// can be wrong by any time.
    public static var leastKept: Int { 1_000 }

    /// Whether the write under this id is one that also forgets old outcomes: one in 64 is enough to bound
    /// their number.
    package var forgetsOthers: Bool { uuid.uuid.15.isMultiple(of: 64) }
}
