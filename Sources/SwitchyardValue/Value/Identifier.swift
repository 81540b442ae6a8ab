public import Foundation

/// The typed id of a model: a UUID that knows which entity it refers to.
///
/// A new id is a UUID of version 7, so ids sort by the time they were created. Ids compare by their bytes, on every
/// backend.
///
/// In a `#Predicate`, an id gives access to the row that it refers to: `$0.film[\.title]`.
@dynamicMemberLookup
public struct Identifier<Row>: Hashable, Comparable, Sendable {
    /// The 16 bytes behind the type.
    public let uuid: UUID

    /// Creates a new id, greater than all ids that this process created before.
    public init() { uuid = UUIDv7.next() }

    /// Creates an id from an existing UUID.
    @inlinable
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Parses the usual text form, in upper or lower case; nil for any other text.
    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// Whether the first comes before the second.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.uuid < rhs.uuid }

    /// Unavailable: the compiler says what to write instead.
    @available(
        *, unavailable,
        message: """
            an id has no attributes of its row: in a #Predicate ask '$0.film[\\.title]', elsewhere find the row with \
            'tx.find(film)'
            """
    )
    public subscript<Value>(dynamicMember keyPath: KeyPath<Row, Value>) -> Value? { nil }
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

/// The phantom type behind `OperationID`.
public enum WriteOperation {}

/// The id of one write, by which its outcome can be looked up later.
public typealias OperationID = Identifier<WriteOperation>

extension Identifier where Row == WriteOperation {
    /// How many seconds a store keeps the outcome of a write: seven days, by the clock of the server or, without a
    /// server, of the device.
    public static var retention: TimeInterval { 7 * 86_400 }

    /// How many of the last outcomes a store without a server always keeps, because the clock of a device can be wrong.
    public static var leastKept: Int { 1_000 }

    /// Whether the write with this id also deletes old outcomes: one write in 64 is enough to bound their number.
    package var forgetsOthers: Bool { uuid.uuid.15.isMultiple(of: 64) }
}
