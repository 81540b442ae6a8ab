internal import Foundation
package import SwitchyardCore

extension Stage {
    package func write(to bytes: inout ByteWriter) {
        bytes.write(optional: cursor)
        bytes.write(optional: upTo)
        bytes.write(seen)
        bytes.bytes.append(isWhole ? 1 : 0)
        bytes.write(optional: copied?.head)
        if let last = copied?.last {
            bytes.write(text: last.entity)
            bytes.write(last.id)
        }
        bytes.write(number: UInt64(pages))
        bytes.write(number: UInt64(rows))
        bytes.write(number: UInt64(verdicts.count))
        for verdict in verdicts { bytes.write(verdict) }
        bytes.write(number: UInt64(places.count))
        for place in places { bytes.write(place) }
    }

    package init(from bytes: inout ByteReader) throws {
        let (cursor, upTo) = (try bytes.optionalPosition(), try bytes.optionalPosition())
        self.init(cursor: cursor, seen: try bytes.position(), isWhole: try bytes.byte() != 0)
        self.upTo = upTo
        if let head = try bytes.optionalPosition() {
            copied = Copied(head, RowKey(try bytes.text(), try bytes.uuid()))
        }
        pages = try bytes.int()
        rows = try bytes.int()
        for _ in 0..<(try bytes.number()) { verdicts.append(try bytes.verdict()) }
        for _ in 0..<(try bytes.number()) { places.append(try bytes.position()) }
        guard pages > 0 else { throw StoreError.unreadableMutation }
    }
}

extension StagedPage {
    package func encoded(_ schema: Schema) throws -> [UInt8] {
        var bytes = ByteWriter()
        bytes.bytes.append(isOfAllRows ? 1 : 0)
        RowPatch.write(rows, to: &bytes)
        bytes.write(number: UInt64(conflicts.count))
        for conflict in conflicts {
            bytes.write(conflict.id)
            bytes.write(content: try conflict.encoded(schema))
        }
        return bytes.bytes
    }

    package init(_ data: [UInt8], _ schema: Schema) throws {
        var bytes = ByteReader(data)
        try self.init(from: &bytes, schema)
    }

    init(from bytes: inout ByteReader, _ schema: Schema) throws {
        let isOfAllRows = try bytes.byte() != 0
        let rows = try RowPatch.rows(from: &bytes, schema)
        var conflicts: [LoggedConflict] = []
        for _ in 0..<(try bytes.number()) {
            let id = try bytes.uuid()
            if let entry = try LoggedConflict(id: id, Array(try bytes.content()), schema) {
                conflicts.append(entry)
            }
        }
        self.init(rows: rows, conflicts: conflicts, isOfAllRows: isOfAllRows)
    }
}
