import Foundation
import Switchyard
import SwitchyardConformance

/// Transactions of several authors in one store, which are undone and redone, beside a model that knows what must come.
struct UndoTrial {
    /// One transaction of the store's history.
    private struct Entry {
        let transaction: HistoryTransaction
        let changes: [ShelfModel.Key: ShelfModel.Change]
        /// The entry that it has undone.
        let undone: Int?
        /// The entries that have undone it.
        var undoers: [Int] = []
    }

    private let store: any Store
    private let report: Report
    private var generator: SeededGenerator
    private var operations: ShelfOperations
    private var model = ShelfModel()
    private var entries: [Entry] = []
    private var token: HistoryToken?
    /// The number of transactions that are no undo.
    private(set) var drawn = 0

    init(_ store: any Store, seed: UInt64, report: Report) {
        self.store = store
        self.report = report
        generator = SeededGenerator(seed: seed)
        operations = ShelfOperations(seed: seed &+ 1)
    }

    /// Carries out a transaction of one of four authors.
    ///
    /// - Throws: What the store throws.
    mutating func write() async throws {
        let author = "author \(Int.random(in: 1...4, using: &generator))"
        let drawn = operations.make(for: model)
        try await store.write(WriteOptions(author: author)) { tx in
            for operation in drawn { try operation.carryOut(in: tx) }
        }
        let before = model
        for operation in drawn { operation.carryOut(in: &model, by: entries.count) }
        try await note(model.changes(since: before), undone: nil)
        self.drawn += 1
    }

    /// Tries to undo one of the last transactions.
    ///
    /// - Throws: What the store throws, unless the model expects it.
    mutating func undo() async throws {
        let candidates = entries.indices.suffix(400).filter { isInEffect($0) }
        let originals = candidates.filter { entries[$0].undone == nil }
        let isRedo = Int.random(in: 0..<5, using: &generator) == 0
        guard let chosen = (isRedo ? candidates : originals).randomElement(using: &generator) else { return }
        try await undo(chosen)
    }

    /// Undoes the last transaction of an author, as the history tells it.
    ///
    /// - Throws: As `undo()`.
    mutating func undoLast() async throws {
        let author = "author \(Int.random(in: 1...4, using: &generator))"
        let expected = entries.indices.last {
            entries[$0].undone == nil && entries[$0].transaction.author == author && isInEffect($0)
        }
        let found = try await store.read { try $0.lastUndoable(author: author) }
        guard found?.id == expected.map({ entries[$0].transaction.id }) else {
            return report.violation("the last transaction of \(author) is another one")
        }
        if let expected { try await undo(expected) }
    }

    private mutating func undo(_ chosen: Int) async throws {
        let entry = entries[chosen]
        let before = model
        let refusals = model.undo(entry.changes)
        let what = "undoing \(entry.transaction.sequence) of \(entries.count)"
        do {
            try await store.undo(entry.transaction, WriteOptions(author: "undo"))
            guard refusals.isEmpty else {
                report.violation("\(what) was not refused with \(refusals)")
                throw StopIteration()
            }
            entries[chosen].undoers.append(entries.count)
            try await note(model.changes(since: before), undone: chosen)
            report.count(entry.undone == nil ? "undone" : "undos undone")
        } catch let error as StoreError {
            report.count("refused \(error.code)")
            if !refusals.contains(error.code) {
                report.violation("\(what) was refused and must be done: \(error.debugDescription)")
                throw StopIteration()
            }
        }
        try await compare(model.values, what)
    }

    /// Compares the store with a model that has never carried out what is undone.
    ///
    /// - Throws: What the store throws.
    func compareWithUnundone() async throws {
        var other = ShelfModel()
        for (index, entry) in entries.enumerated() where entry.undone == nil && isInEffect(index) {
            other.redo(entry.changes)
        }
        try await compare(other.values, "the \(entries.count) transactions without the undone ones")
    }

    /// Whether a transaction, such as an undo, has not been undone, or was redone.
    private func isInEffect(_ index: Int) -> Bool {
        entries[index].undoers.allSatisfy { !isInEffect($0) }
    }

    private mutating func note(_ changes: [ShelfModel.Key: ShelfModel.Change], undone: Int?) async throws {
        let news = try await store.read { [token] tx in try tx.history(after: token) }
        guard news.count == 1, news[0].undone == undone.map({ entries[$0].transaction.id }) else {
            report.violation("transaction \(entries.count + 1) is \(news.count) in the history")
            throw StopIteration()
        }
        token = news[0].token
        entries.append(Entry(transaction: news[0], changes: changes, undone: undone))
    }

    private func compare(_ expected: [ShelfModel.Key: [StoredValue]], _ what: String) async throws {
        let found = try await store.read { tx in
            var rows: [ShelfModel.Key: [StoredValue]] = [:]
            for entity in tx.schema.entities {
                try tx.forEachRow(of: entity.name) { row in
                    guard case .uuid(let id) = row[0] else { return }
                    rows[ShelfModel.Key(entity: entity.name, id: id)] = row
                }
            }
            return rows
        }
        guard found != expected else { return }
        let wrong = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
        let rows = wrong.prefix(3).map { "\(found[$0] ?? []) and not \(expected[$0] ?? [])" }
        report.violation("\(what): \(rows.joined(separator: "; "))")
        throw StopIteration()
    }

    /// A difference ends the trial: what follows would only repeat it.
    struct StopIteration: Error {}
}
