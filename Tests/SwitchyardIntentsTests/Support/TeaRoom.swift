import Foundation
import Synchronization

/// The rows of a small TeaHouse, kept in memory.
final class TeaRoom: Sendable {
    struct Rows: Sendable {
        var guests: [GuestEntity] = []
        var orderTypes: [OrderTypeEntity] = []
        /// The start of the pour in progress, by guest.
        var pouring: [UUID: Date] = [:]
        /// What was logged, in words.
        var log: [String] = []
    }

    private let rows: Mutex<Rows>

    init(_ rows: Rows) { self.rows = Mutex(rows) }

    func read<Value: Sendable>(_ body: (Rows) -> Value) -> Value { rows.withLock { body($0) } }
    func write<Value: Sendable>(_ body: (inout Rows) -> sending Value) -> Value {
        rows.withLock { body(&$0) }
    }

    static let mia = GuestEntity(id: id(1), name: "Mia")
    static let max = GuestEntity(id: id(2), name: "Max")
    static let amelie = GuestEntity(id: id(3), name: "Amélie Rose")
    static let scone = OrderTypeEntity(id: id(11), name: "Scone", emoji: "🍰")
    static let toast = OrderTypeEntity(id: id(12), name: "Toast", emoji: "🍞")

    static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    /// Three guests, two types of orders, nobody pouring.
    static func usual() -> TeaRoom { TeaRoom(Rows(guests: [amelie, max, mia], orderTypes: [scone, toast])) }
}
