import Foundation
import SwitchyardCore
import SwitchyardMirror

/// A number that depends on everything that happens in a run, in order.
///
/// Two runs of one seed must have the same one: else something follows from the order of a set, an address or a clock.
struct TraceDigest {
    private(set) var value: UInt64 = 0

    mutating func add(_ number: UInt64) {
        value = SeededGenerator.mix(value ^ number &+ 0x9E37_79B9_7F4A_7C15)
    }
    mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

    mutating func add(_ id: UUID) {
        withUnsafeBytes(of: id.uuid) { bytes in
            add(bytes.loadUnaligned(as: UInt64.self))
            add(bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
    }

    mutating func add(_ key: RowKey) {
        add(Int(key.entity.utf8.first ?? 0))
        add(key.id)
    }

    mutating func add(_ value: StoredValue?) {
        switch value {
        case .int(let number)?: add(UInt64(bitPattern: number))
        case .uuid(let id)?: add(id)
        case .text(let text)?, .json(let text)?: for byte in text.utf8 { add(Int(byte)) }
        case nil: add(1)
        default: add(2)
        }
    }

    mutating func add(_ row: RowPatch) {
        add(row.key)
        guard let values = row.values else { return add(3) }
        for value in values { add(value) }
    }

    mutating func add(_ answer: ExchangeAnswer) {
        switch answer {
        case .page(let page):
            add(Int(page.upTo.sequence))
            for verdict in page.verdicts {
                add(verdict.id)
                add(Int(verdict.kind.rawValue.utf8.first ?? 0))
            }
            for row in page.rows { add(row) }
        case .rows(let page): for row in page.rows { add(row) }
        case .restart: add(4)
        case .ahead(let common): add(Int(common?.sequence ?? -1))
        case .beginAgain: add(5)
        }
    }

    mutating func add(_ mutation: Mutation) {
        add(mutation.id)
        add(Int(mutation.cursor))
        for change in mutation.changes { add(change.key) }
    }

    /// Adds rows in the order of their keys.
    mutating func add(_ rows: SimulatedRows) {
        for (key, values) in rows.rows.sorted(by: { $0.key < $1.key }) { add(RowPatch(key, values)) }
    }
}
