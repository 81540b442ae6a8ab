internal import Foundation
package import SwitchyardCore

/// Answers as bytes.
extension ExchangeAnswer {
    /// The message.
    ///
    /// - Throws: `schemaMismatch` for a row of an entity that the schema lacks.
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        var message = MessageWriter(schema)
        switch self {
        case .page(let page):
            try message.write(page)
            return message.message(.page)
        case .rows(let page):
            message.write(page.head)
            try message.write(optional: page.next)
            try message.write(page.rows)
            return message.message(.rowsPage)
        case .ahead(let common):
            message.write(common)
            return message.message(.ahead)
        case .restart: return message.message(.restart)
        case .beginAgain: return message.message(.beginAgain)
        }
    }

    /// Reads a message.
    ///
    /// - Throws: `corrupted` for anything else; `schemaMismatch` for what the schema lacks.
    package init(_ message: [UInt8], _ schema: Schema) throws {
        self = try MessageReader.read(message, schema) { message in
            switch message.kind {
            case .page: return .page(try message.page())
            case .rowsPage:
                let head = try message.position()
                let next = try message.optionalKey()
                return .rows(RowsPage(rows: try message.patches(), next: next, head: head))
            case .ahead: return .ahead(common: try message.position())
            case .restart: return .restart
            case .beginAgain: return .beginAgain
            case .exchange, .rows: throw StoreError.unreadableMessage
            }
        }
    }
}

/// What a message tells of a row.
private enum PatchForm {
    static let deleted: UInt8 = 0
    static let whole: UInt8 = 1
    /// A bit for each attribute but the id, and the values of those with a 1.
    static let part: UInt8 = 2
}

extension MessageWriter {
    fileprivate mutating func write(_ page: ExchangePage) throws {
        write(page.from)
        write(page.upTo)
        write(page.head)
        write(count: page.verdicts.count)
        for verdict in page.verdicts {
            write(verdict.id)
            write(byte: verdict.kind.code)
            guard verdict.kind == .rejected else { continue }
            write(shared: verdict.reason?.code.rawValue)
            guard let reason = verdict.reason else { continue }
            write(shared: reason.entity)
            write(shared: reason.attribute)
        }
        try write(page.rows)
        write(count: page.conflicts.count)
        for entry in page.conflicts { try write(entry) }
    }

    fileprivate mutating func write(_ rows: [RowPatch]) throws {
        write(count: rows.count)
        for row in rows {
            guard let values = row.values?.dropFirst() else {
                try write(row.key.entity, form: PatchForm.deleted)
                write(row.key.id)
                continue
            }
            let isWhole = values.allSatisfy { $0 != nil }
            try write(row.key.entity, form: isWhole ? PatchForm.whole : PatchForm.part)
            write(row.key.id)
            if !isWhole {
                var bits = [UInt8](repeating: 0, count: (values.count + 7) / 8)
                for (index, value) in values.enumerated() where value != nil {
                    bits[index / 8] |= 1 << (index % 8)
                }
                for byte in bits { write(byte: byte) }
            }
            for value in values where value != nil { write(value) }
        }
    }

    private mutating func write(_ entry: LoggedConflict) throws {
        let conflict = entry.conflict
        write(entry.id)
        write(time: entry.time)
        write(shared: entry.device)
        write(shared: conflict.reason.rawValue)
        write(conflict.mutation)
        try write(conflict.key.entity)
        write(conflict.key.id)
        write(count: conflict.values.count)
        for value in conflict.values {
            write(count: value.attribute)
            write(value.losing)
            write(value.winning)
        }
    }
}

extension MessageReader {
    fileprivate mutating func page() throws -> ExchangePage {
        var page = ExchangePage(
            verdicts: [], from: try position(), upTo: try position(), steps: [], rows: [], conflicts: [],
            head: try position())
        for _ in 0..<(try count()) { page.verdicts.append(try verdict()) }
        page.rows = try patches()
        for _ in 0..<(try count()) { page.conflicts.append(try conflict()) }
        return page
    }

    private mutating func verdict() throws -> Verdict {
        let id = try uuid()
        guard let kind = Verdict.Kind(code: try byte()) else { throw StoreError.unreadableMessage }
        guard kind == .rejected, let name = try sharedText() else { return Verdict(id: id, kind: kind) }
        guard let code = Rejection.Code(rawValue: name), let entity = try sharedText() else {
            throw StoreError.unreadableMessage
        }
        return Verdict(id: id, kind: kind, reason: Rejection(code, entity, try sharedText()))
    }

    fileprivate mutating func patches() throws -> [RowPatch] {
        var patches: [RowPatch] = []
        for _ in 0..<(try count()) {
            let (key, entity, form) = try key()
            switch form {
            case PatchForm.deleted: patches.append(RowPatch(key, nil))
            case PatchForm.whole: patches.append(RowPatch(key, try row(key.id, of: entity)))
            case PatchForm.part: patches.append(RowPatch(key, try part(key.id, of: entity)))
            default: throw StoreError.unreadableMessage
            }
        }
        return patches
    }

    private mutating func part(_ id: UUID, of entity: NamedEntity) throws -> [StoredValue?] {
        var values = [StoredValue?](repeating: nil, count: entity.entity.attributes.count)
        values[0] = .uuid(id)
        let positions = entity.positions.dropFirst()
        var bits: [UInt8] = []
        for _ in 0..<(positions.count + 7) / 8 { bits.append(try byte()) }
        for (index, position) in positions.enumerated() where bits[index / 8] >> (index % 8) & 1 == 1 {
            values[position] = try value()
        }
        return values
    }

    private mutating func conflict() throws -> LoggedConflict {
        let (id, time, device) = (try uuid(), try nextTime(), try sharedText())
        guard let reason = try sharedText().flatMap({ Conflict.Reason(rawValue: $0) }) else {
            throw StoreError.unreadableMessage
        }
        let mutation = try uuid()
        let (key, entity, _) = try key()
        var values: [Conflict.Value] = []
        for _ in 0..<(try count()) {
            values.append(
                Conflict.Value(try attribute(of: entity), losing: try value(), winning: try optionalValue()))
        }
        return LoggedConflict(
            id: id, time: time, device: device, Conflict(key, reason, mutation: mutation, values: values))
    }
}

extension Verdict.Kind {
    fileprivate var code: UInt8 {
        switch self {
        case .accepted: 0
        case .merged: 1
        case .rejected: 2
        }
    }

    fileprivate init?(code: UInt8) {
        switch code {
        case 0: self = .accepted
        case 1: self = .merged
        case 2: self = .rejected
        default: return nil
        }
    }
}
