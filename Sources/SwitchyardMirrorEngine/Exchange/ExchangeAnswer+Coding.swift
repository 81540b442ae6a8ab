internal import Foundation
package import SwitchyardCore

extension ExchangeAnswer {
    /// The message.
    ///
    /// - Throws: `schemaMismatch` for a conflict of an entity that the schema lacks.
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        switch self {
        case .page(let page):
            try Message.encoded(.page, schema) { bytes in
                bytes.write(page.from)
                bytes.write(page.upTo)
                bytes.write(page.head)
                bytes.write(number: UInt64(page.verdicts.count))
                for verdict in page.verdicts { bytes.write(verdict) }
                // A transaction is mostly one that has got its verdict here.
                let numbers = Dictionary(
                    page.verdicts.enumerated().map { ($1.id, UInt64($0 + 1)) }, uniquingKeysWith: { $1 })
                bytes.write(number: UInt64(page.steps.count))
                for id in page.steps {
                    bytes.write(number: numbers[id] ?? 0)
                    if numbers[id] == nil { bytes.write(id) }
                }
                bytes.bytes += try StagedPage(page).encoded(schema)
            }
        case .rows(let page):
            try Message.encoded(.rowsPage, schema) { bytes in
                bytes.write(page.head)
                bytes.write(optional: page.next)
                bytes.write(number: UInt64(page.places.count))
                for place in page.places { bytes.write(place) }
                bytes.bytes += try StagedPage(page).encoded(schema)
            }
        case .ahead(let common): Message.encoded(.ahead, schema) { $0.write(optional: common) }
        case .restart: Message.encoded(.restart, schema) { _ in }
        case .beginAgain: Message.encoded(.beginAgain, schema) { _ in }
        }
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` if it speaks of another schema.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try Message.read(message, schema) { kind, bytes in
            switch kind {
            case .page:
                let (from, upTo, head) = (try bytes.position(), try bytes.position(), try bytes.position())
                var verdicts: [Verdict] = []
                for _ in 0..<(try bytes.number()) { verdicts.append(try bytes.verdict()) }
                var steps: [UUID] = []
                for _ in 0..<(try bytes.number()) {
                    let number = try bytes.int()
                    guard number <= verdicts.count else { throw StoreError.unreadableMessage }
                    steps.append(number == 0 ? try bytes.uuid() : verdicts[number - 1].id)
                }
                let content = try StagedPage(from: &bytes, schema)
                try content.requireCanonical()
                return .page(
                    ExchangePage(
                        verdicts: verdicts, from: from, upTo: upTo, steps: steps, rows: content.rows,
                        conflicts: content.conflicts, head: head))
            case .rowsPage:
                let (head, next) = (try bytes.position(), try bytes.optionalKey(schema))
                var places: [HistoryPosition] = []
                for _ in 0..<(try bytes.number()) { places.append(try bytes.position()) }
                let content = try StagedPage(from: &bytes, schema)
                try content.requireCanonical()
                return .rows(RowsPage(rows: content.rows, next: next, head: head, places: places))
            case .ahead: return .ahead(common: try bytes.optionalPosition())
            case .restart: return .restart
            case .beginAgain: return .beginAgain
            case .exchange, .rows, .part, .partAnswer: throw StoreError.unreadableMessage
            }
        }
    }
}

extension StagedPage {
    fileprivate func requireCanonical() throws {
        for row in rows { try StoredValue.requireCanonical(row.values ?? []) }
        for entry in conflicts {
            for value in entry.conflict.values {
                try StoredValue.requireCanonical([value.losing, value.winning])
            }
        }
    }
}
