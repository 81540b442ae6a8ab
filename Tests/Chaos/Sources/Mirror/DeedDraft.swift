import Foundation
import Switchyard
import SwitchyardConformance

/// A deed that is drawn and carried out inside its transaction.
struct DeedDraft {
    private(set) var deed: Deed
    private let tx: WriteTransaction
    private var generator: SeededGenerator
    /// The next of the values that only this write uses.
    private var value: Int
    private let trays: [Tray]
    private let cups: [Cup]
    private var touched: Set<UUID>

    /// How many values a write may use.
    private static let valuesPerDeed = 40

    /// Reads what is there.
    ///
    /// - Parameters:
    ///   - tx: The transaction.
    ///   - worker: The number of the process, above 0.
    ///   - number: The number of its write.
    ///   - isMirrored: Whether the store is a mirror for sure.
    ///   - seed: Decides what is done.
    /// - Throws: As a read.
    init(_ tx: WriteTransaction, worker: Int, number: Int, isMirrored: Bool, seed: UInt64) throws {
        self.tx = tx
        deed = Deed(isMirrored: isMirrored)
        generator = SeededGenerator(seed: seed)
        value = worker * 1_000_000 + number * Self.valuesPerDeed
        trays = try tx.fetch(Tray.all.sorted(by: \.id).limit(20))
        let end = KitchenSchema.hooks.upperBound
        cups = try tx.fetch(Cup.where(#Predicate { $0.hook < end }).sorted(by: \.hook))
        touched = [KitchenSchema.pair.0.uuid, KitchenSchema.pair.1.uuid]
    }

    /// Does one to three things, each to other rows.
    mutating func carryOut() throws {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<3: try markPair()
            case 3: try insertTray()
            case 4..<8: try insertCup()
            case 8..<11: try markTray()
            case 18: try deleteCup()
            case 19: if Int.random(in: 0..<4, using: &generator) == 0 { try deleteTray() }
            default: try changeCup()
            }
        }
        if deed.changes.isEmpty { try markPair() }
    }

    private mutating func nextValue() -> Int {
        value += 1
        return value
    }

    private mutating func draw<Element: Model>(_ rows: [Element]) -> Element? {
        guard let row = rows.filter({ !touched.contains($0.id.uuid) }).randomElement(using: &generator) else {
            return nil
        }
        touched.insert(row.id.uuid)
        return row
    }

    // MARK: Trays

    private mutating func markPair() throws {
        let ids = [KitchenSchema.pair.0, KitchenSchema.pair.1]
        guard !deed.changes.contains(where: { $0.row.id == ids[0].uuid }) else { return }
        let value = nextValue()
        for id in ids {
            if var tray = try tx.find(id) {
                try mark(&tray, value)
            } else {
                try insert(Tray(id: id, mark: value, twin: value))
            }
        }
    }

    private mutating func insertTray() throws {
        guard trays.count < 10 else { return }
        let value = nextValue()
        try insert(Tray(mark: value, twin: value))
    }

    private mutating func insert(_ tray: Tray) throws {
        try tx.insert(tray)
        deed.changes.append(
            Deed.Change(kind: .insert, row: tray.name, made: ["mark": tray.mark, "twin": tray.twin]))
    }

    private mutating func markTray() throws {
        guard var tray = draw(trays) else { return }
        try mark(&tray, nextValue())
    }

    private mutating func mark(_ tray: inout Tray, _ value: Int) throws {
        var change = Deed.Change(kind: .update, row: tray.name, seen: tray.marks)
        (tray.mark, tray.twin) = (value, value)
        if touched.contains(tray.id.uuid), Bool.random(using: &generator), !tray.isOfPair {
            change.added = Int.random(in: 1...9, using: &generator)
            tray.count += change.added
        }
        change.made = tray.marks
        try tx.update(tray)
        deed.changes.append(change)
    }

    private mutating func deleteTray() throws {
        guard let tray = draw(trays) else { return }
        let id = tray.id
        let taken = try tx.fetch(Cup.where(#Predicate { $0.tray == id }))
        guard taken.allSatisfy({ !touched.contains($0.id.uuid) }) else { return }
        // A cup on it may be inserted by nothing else of this write.
        touched.formUnion(taken.map(\.id.uuid))
        try tx.delete(tray)
        deed.changes.append(Deed.Change(kind: .delete, row: tray.name, seen: tray.marks))
        for cup in taken {
            deed.changes.append(Deed.Change(kind: .delete, row: cup.name, seen: cup.marks))
        }
    }

    // MARK: Cups

    private mutating func freeHook() throws -> Int? {
        let end = KitchenSchema.hooks.upperBound
        let taken = Set(try tx.fetch(Cup.where(#Predicate { $0.hook < end }), \.hook))
        return KitchenSchema.hooks.filter { !taken.contains($0) }.randomElement(using: &generator)
    }

    private mutating func insertCup() throws {
        guard let tray = draw(trays), let hook = try freeHook() else { return }
        let (mark, shade) = (nextValue(), nextValue())
        let cup = Cup(hook: hook, tray: tray.id, mark: mark, twin: mark, shade: shade)
        try tx.insert(cup)
        deed.changes.append(Deed.Change(kind: .insert, row: cup.name, made: cup.marks))
    }

    private mutating func changeCup() throws {
        guard var cup = draw(cups) else { return }
        let before = cup.marks
        var change = Deed.Change(kind: .update, row: cup.name)
        if Bool.random(using: &generator) {
            cup.mark = nextValue()
            cup.twin = cup.mark
        } else {
            cup.shade = nextValue()
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: if let hook = try freeHook() { cup.hook = hook }
        case 1: if let tray = draw(trays) { cup.tray = tray.id }
        case 2, 3:
            change.added = Int.random(in: 1...9, using: &generator)
            cup.count += change.added
        default: break
        }
        change.made = cup.marks.filter { before[$0.key] != $0.value }
        change.seen = before.filter { change.made[$0.key] != nil }
        try tx.update(cup)
        deed.changes.append(change)
    }

    private mutating func deleteCup() throws {
        guard let cup = draw(cups) else { return }
        try tx.delete(cup)
        deed.changes.append(Deed.Change(kind: .delete, row: cup.name, seen: cup.marks))
    }
}

extension Tray {
    fileprivate var name: RowName { RowName(entity: "Tray", id: id.uuid) }
    fileprivate var marks: [String: Int] { ["mark": mark, "twin": twin] }
    fileprivate var isOfPair: Bool { id == KitchenSchema.pair.0 || id == KitchenSchema.pair.1 }
}

extension Cup {
    fileprivate var name: RowName { RowName(entity: "Cup", id: id.uuid) }
    fileprivate var marks: [String: Int] { ["mark": mark, "twin": twin, "shade": shade] }
}
