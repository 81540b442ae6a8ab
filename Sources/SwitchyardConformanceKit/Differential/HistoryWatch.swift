internal import Foundation
internal import Switchyard
package import SwitchyardCore
internal import Synchronization

/// Compares a store's history with the actual changes of its rows.
///
/// Taken back from the rows, the changes since the last look must give the rows of that look: a change that is missing,
/// invented or has a wrong value before gives others.
package final class HistoryWatch: Sendable {
    /// The beginning of an answer that reports a fault.
    package static let fault = "the history is wrong"

    private let last: Mutex<Look>
    private let looks = Mutex(0)

    /// By the name of the entity, and by id.
    typealias Rows = [String: [UUID: [StoredValue]]]

    /// The rows at the last look.
    var rows: Rows { last.withLock(\.rows) }

    private struct Look: Sendable {
        let rows: Rows
        let token: HistoryToken
    }

    /// A fault of a history.
    private struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// Switches the history of an empty store on.
    package init(_ store: any Store) async throws {
        try await store.keepHistory()
        last = Mutex(try await store.read { Look(rows: try Self.rows($0), token: try $0.historyToken()) })
    }

    /// Looks at the changes since the last look.
    ///
    /// - Parameters:
    ///   - store: The store; no other task may write to it if transactions are undone.
    ///   - undoes: Whether a transaction is undone and redone now and then.
    /// - Returns: The changes in canonical form; if they are wrong, a text that begins with `fault`.
    /// - Throws: The error of reading or writing.
    package func changes(in store: any Store, undoing undoes: Bool = true) async throws -> String {
        let before = last.withLock { $0 }
        let (look, news) = try await store.read { tx in
            let news = try tx.history(after: before.token)
            return (Look(rows: try Self.rows(tx), token: try tx.historyToken()), news)
        }
        last.withLock { $0 = look }
        let changes = try news.map { try Self.text($0) }.joined(separator: "\n")
        do {
            guard news.map(\.sequence) == news.indices.map({ before.token.sequence + Int64($0) + 1 }) else {
                throw Fault(description: "numbers \(news.map(\.sequence)) after \(before.token.sequence)")
            }
            guard look.token == news.last?.token ?? before.token else {
                throw Fault(description: "the last transaction is not the last")
            }
            try Self.expect(
                try Self.takingBack(news, from: look.rows, schema: store.schema), before.rows, "taken back")
            if undoes { try await undoAndRedo(news, store, before: before.rows, after: look.rows) }
            return changes
        } catch let fault as Fault {
            return "\(Self.fault): \(fault) (the changes are \(changes))"
        }
    }

    /// Undoes a transaction now and then, and undoes the undo.
    private func undoAndRedo(
        _ news: [HistoryTransaction], _ store: any Store, before: Rows, after: Rows
    ) async throws {
        let number = looks.withLock { looks in
            looks += 1
            return looks
        }
        guard number % 5 == 0, news.count == 1 else { return }
        try await store.undo(news[0])
        try Self.expect(try await store.read { try Self.rows($0) }, before, "undone")
        let undo = try await store.read { try $0.history(after: news[0].token) }
        guard undo.count == 1, undo[0].undone == news[0].id else {
            throw Fault(description: "an undo is not one transaction that names what it has undone")
        }
        try await store.undo(undo[0])
        try Self.expect(try await store.read { try Self.rows($0) }, after, "redone")
        let token = try await store.read { try $0.historyToken() }
        last.withLock { $0 = Look(rows: after, token: token) }
    }

    private static func rows(_ tx: ReadTransaction) throws -> Rows {
        var rows: Rows = [:]
        for entity in tx.schema.entities {
            try tx.forEachRow(of: entity.name) { row in
                if case .uuid(let id) = row[0] { rows[entity.name, default: [:]][id] = row }
            }
        }
        return rows
    }

    private static func expect(_ found: Rows, _ expected: Rows, _ how: String) throws {
        for entity in Set(found.keys).union(expected.keys).sorted() {
            let (found, expected) = (found[entity, default: [:]], expected[entity, default: [:]])
            guard found != expected else { continue }
            let ids = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.sorted()
            let rows = ids.prefix(3).map { id in
                "\(ShownValue.text(found[id] ?? [])) and not \(ShownValue.text(expected[id] ?? []))"
            }
            throw Fault(description: "\(how), \(entity) has \(rows.joined(separator: "; "))")
        }
    }

    private static func takingBack(
        _ news: [HistoryTransaction], from rows: Rows, schema: Schema
    ) throws -> Rows {
        var rows = rows
        for transaction in news.reversed() {
            for change in try transaction.changes.all() {
                let row = rows[change.entity]?[change.id]
                func fault(_ what: String) -> Fault {
                    Fault(description: "\(change.kind) of a row of \(change.entity) that \(what)")
                }
                switch change.kind {
                case .insert:
                    guard row != nil else { throw fault("is not there") }
                    rows[change.entity]?[change.id] = nil
                case .delete:
                    guard row == nil else { throw fault("is there") }
                    rows[change.entity, default: [:]][change.id] = change.attributes.map {
                        change.before($0) ?? .null
                    }
                case .update:
                    guard var row else { throw fault("is not there") }
                    guard !change.attributes.isEmpty else { throw fault("has not changed") }
                    for name in change.attributes {
                        guard let position = try schema.require(change.entity).column(name),
                            let value = change.before(name), value != row[position]
                        else { throw fault("has the same \(name) as before") }
                        row[position] = value
                    }
                    rows[change.entity]?[change.id] = row
                }
            }
        }
        return rows
    }

    /// The changes of a transaction in an order that does not depend on the backend.
    private static func text(_ transaction: HistoryTransaction) throws -> String {
        let changes = try transaction.changes.all().map { change in
            let values = change.attributes.map { "\($0) \(ShownValue.text(change.before($0) ?? .null))" }
            return "\(change.entity) \(change.id) \(change.kind) \(values.joined(separator: ", "))"
        }
        return changes.sorted().joined(separator: "\n")
    }
}
