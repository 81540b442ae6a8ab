import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import SwitchyardMirror
import SwitchyardMirrorService
import Synchronization

/// What the devices of a soak write.
@Model
struct Spoon: Hashable {
    let id: ID
    /// A number that no other row has.
    var number: Int
    /// The household in which it was made.
    var house: Int
    @Attribute(.merge(.counter)) var count: Int = 0
}

enum SoakSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Spoon.self]
}

/// One household of a soak: what its devices have written, and what must be there.
final class SoakHouse: Sendable {
    /// How sure it is that a row is there.
    enum Certainty: Sendable { case there, gone, unknown }

    let number: Int
    let scope = StoreScope()
    private let rows = Mutex<[Int: Certainty]>([:])
    private let next = Mutex(0)

    init(_ number: Int) { self.number = number }

    /// A number that no row has had.
    func newNumber() -> Int {
        next.withLock { next in
            next += 1
            return number * 100_000_000 + next
        }
    }

    func note(_ numbers: [Int], _ certainty: Certainty) {
        rows.withLock { rows in
            for number in numbers where rows[number] != .gone || certainty == .gone {
                rows[number] = certainty
            }
        }
    }

    /// What is wrong with the rows of a store of the household, in sentences.
    func faults(_ found: [Spoon]) -> [String] {
        let numbers = Set(found.map(\.number))
        var faults: [String] = []
        if numbers.count < found.count { faults.append("\(found.count - numbers.count) rows came twice") }
        let strange = found.filter { $0.house != number }
        if !strange.isEmpty { faults.append("\(strange.count) rows are of other households") }
        rows.withLock { rows in
            let missing = rows.filter { $0.value == .there && !numbers.contains($0.key) }
            if let first = missing.first {
                faults.append("\(missing.count) rows are missing, such as \(first.key)")
            }
            let undead = rows.filter { $0.value == .gone && numbers.contains($0.key) }
            if let first = undead.first {
                faults.append("\(undead.count) rows are back, such as \(first.key)")
            }
            let unmade = numbers.subtracting(rows.keys)
            if let first = unmade.first {
                faults.append("\(unmade.count) rows were never written, such as \(first)")
            }
            // What is over needs no memory.
            rows = rows.filter { $0.value != .gone || Int.random(in: 0..<4) > 0 }
        }
        return faults
    }
}
