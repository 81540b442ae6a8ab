import Foundation
import Synchronization

/// The rows of a small BabyMonitor, kept in memory.
final class Nursery: Sendable {
    struct Rows: Sendable {
        var babies: [BabyEntity] = []
        var eventTypes: [EventTypeEntity] = []
        /// The start of the feed in progress, by baby.
        var feeding: [UUID: Date] = [:]
        /// What was logged, in words.
        var log: [String] = []
    }

    private let rows: Mutex<Rows>

    init(_ rows: Rows) { self.rows = Mutex(rows) }

    func read<Value: Sendable>(_ body: (Rows) -> Value) -> Value { rows.withLock { body($0) } }
    func write<Value: Sendable>(_ body: (inout Rows) -> sending Value) -> Value {
        rows.withLock { body(&$0) }
    }

    static let mia = BabyEntity(id: id(1), name: "Mia")
    static let max = BabyEntity(id: id(2), name: "Max")
    static let amelie = BabyEntity(id: id(3), name: "Amélie Rose")
    static let bath = EventTypeEntity(id: id(11), name: "Bath", emoji: "🛁")
    static let walk = EventTypeEntity(id: id(12), name: "Walk", emoji: "🚶")

    static func id(_ number: UInt8) -> UUID {
        UUID(uuid: (0xAB, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
    }

    /// Three babies, two types of events, nobody feeding.
    static func usual() -> Nursery { Nursery(Rows(babies: [amelie, max, mia], eventTypes: [bath, walk])) }
}
