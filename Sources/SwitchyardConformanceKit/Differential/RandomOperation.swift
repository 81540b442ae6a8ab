internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// One step of a differential run: drawn once, then executed on every store.
indirect enum RandomOperation: Sendable {
    case insert(entity: String, rows: [[StoredValue]], skipsExisting: Bool)
    case update(entity: String, set: [Assignment], where: Condition)
    case delete(entity: String, where: Condition)
    case fetch(entity: String, where: Condition, order: [SortKey], limit: Int?, offset: Int)
    case count(entity: String, where: Condition)
    case replace(entity: String, row: [StoredValue])
    case upsert(entity: String, rows: [[StoredValue]], key: [String])
    case pages(entity: String, where: Condition, order: [SortKey], size: Int)
    case aggregate(entity: String, where: Condition, groups: [GroupKey], figures: [AggregateFunction])
    case report(entity: String, where: Condition, keys: [GroupingKey], figures: [GroupFigure])
    case several([RandomOperation], isUndone: Bool)

    /// Executes the operation and returns its answer as text: rows and counts in canonical form, or the code of an
    /// error.
    func answer(from store: any Store) async throws -> String {
        do {
            return try await store.write { try answer(in: $0) }
        } catch let error as StoreError {
            return answer(to: error)
        } catch is Undone {
            return "undone"
        }
    }

    private struct Undone: Error {}

    /// Pages that go round in circles.
    private struct PagesWithoutEnd: Error {
        let order: [SortKey]
        let cursor: PageCursor
    }

    /// The answer for an error: its code, unless backends may legitimately encounter different errors first.
    ///
    /// If a batch has several faulty rows, a backend that sends rows in bulk may find another one first; all backends
    /// agree only that the batch is refused. Likewise, an update may find a duplicate in one row before or after it
    /// fails to calculate the value of another, or finds a nil in a required attribute or a number outside its domain.
    private func answer(to error: StoreError) -> String {
        switch self {
        case .insert(_, let rows, _) where rows.count > 1: "error in a batch"
        case .upsert(_, let rows, _) where rows.count > 1: "error in a batch"
        case .update where [.arithmetic, .check, .notNull, .unique].contains(error.code):
            "error arithmetic, check, notNull or unique"
        default: "error \(error.code)"
        }
    }

    private func answer(in tx: WriteTransaction) throws -> String {
        switch self {
        case .insert(let entity, let rows, let skips):
            "\(try tx.insertRows(into: entity, rows, skippingExisting: skips)) inserted"
        case .update(let entity, let set, let condition):
            "\(try tx.updateRows(of: entity, set: set, where: condition)) updated"
        case .delete(let entity, let condition): "\(try tx.deleteRows(of: entity, where: condition)) deleted"
        case .fetch(let entity, let condition, let order, let limit, let offset):
            Self.canonical(
                try tx.fetchRows(of: entity, where: condition, sortedBy: order, limit: limit, offset: offset))
        case .count(let entity, let condition): "\(try tx.countRows(of: entity, where: condition)) counted"
        case .replace(let entity, let row):
            try RandomRow.with(try tx.schema.require(entity)) {
                Self.canonical([try tx.update(RandomRow(row)).values])
            } + " replaced"
        case .upsert(let entity, let rows, let key):
            try RandomRow.with(try tx.schema.require(entity)) { try Self.upserted(rows, key, in: tx) }
                + " upserted"
        case .pages(let entity, let condition, let order, let size):
            try RandomRow.with(try tx.schema.require(entity)) {
                try Self.pages(of: RandomRow.matching(condition), order, size: size, in: tx)
            } + " in pages"
        case .aggregate(let entity, let condition, let groups, let figures):
            Self.canonical(
                try tx.aggregateRows(of: entity, where: condition, by: groups, figures: figures))
                + " figures"
        case .report(let entity, let condition, let keys, let figures):
            Self.canonical(try tx.aggregateRows(of: entity, where: condition, by: keys, figures: figures))
                + " figures"
        case .several(let operations, let isUndone):
            try several(operations, isUndone: isUndone, in: tx)
        }
    }

    /// Runs each part in its own savepoint, so that an error of one does not end the others; parts can be nested.
    private func several(_ operations: [RandomOperation], isUndone: Bool, in tx: WriteTransaction) throws
        -> String
    {
        var answers: [String] = []
        for operation in operations {
            do {
                answers.append(try tx.nested { try operation.answer(in: tx) })
            } catch let error as StoreError {
                answers.append(operation.answer(to: error))
            } catch is Undone {
                answers.append("undone")
            }
        }
        if isUndone { throw Undone() }
        return answers.joined(separator: "; ")
    }

    private static func upserted(
        _ rows: [[StoredValue]], _ key: [String], in tx: WriteTransaction
    ) throws -> String {
        let rows = rows.map { RandomRow($0) }
        let paths = key.map { RandomRow.keyPath($0) }
        let stored =
            paths.count == 1
            ? try tx.upsert(rows, on: paths[0]) : try tx.upsert(rows, on: paths[0], paths[1])
        return canonical(stored.map(\.values))
    }

    /// Returns the first pages, each with a cursor that has been converted to text and back.
    private static func pages(
        of rows: Query<RandomRow>, _ order: [SortKey], size: Int, in tx: WriteTransaction
    ) throws -> String {
        var query = rows
        query.order = .success(order)
        var page = try tx.page(query, size: size)
        var pages = [page.items]
        let most = try tx.count(rows)
        // Many rows on small pages take quadratic time, and later pages are like the first.
        while let cursor = page.next, pages.count < 12 {
            // A repeated page, or a cursor that does not survive as text, would never end.
            guard PageCursor(cursor.description) == cursor, pages.count <= most else {
                throw PagesWithoutEnd(order: order, cursor: cursor)
            }
            page = try tx.page(query, size: size, after: PageCursor(cursor.description))
            pages.append(page.items)
        }
        return pages.map { canonical($0.map(\.values)) }.joined()
    }

    /// Rows as text, in which −0 differs from 0; encoding them as JSON would take most of a run's time.
    static func canonical(_ rows: [[StoredValue]]) -> String {
        "[\(rows.map { "[\($0.map(text).joined(separator: ", "))]" }.joined(separator: ", "))]"
    }

    private static func text(_ value: StoredValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): "bool \(value)"
        case .int(let value): "int \(value)"
        case .double(let value): "double \(value)"
        case .decimal(let value): "decimal \(value)"
        // With its length, so that no text looks like several values.
        case .text(let value): "text \(value.utf8.count) \(value)"
        case .blob(let value): "blob \(value.base64EncodedString())"
        case .uuid(let value): "uuid \(value.uuidString)"
        case .timestamp(let value): "timestamp \(value)"
        case .day(let value): "day \(value)"
        case .json(let value): "json \(value.utf8.count) \(value)"
        }
    }
}
