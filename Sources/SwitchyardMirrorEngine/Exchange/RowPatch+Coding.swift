internal import SwitchyardCore

/// Rows as bytes: those of an entity one after the other, each value by the attribute's position.
///
/// Both ends have the same schema.
extension RowPatch {
    /// How the values of a row follow its id.
    private enum Form: UInt8 {
        case deleted = 0
        case whole = 1
        /// The number of values, then each with its attribute's position.
        case part = 2
    }

    static func write(_ rows: [RowPatch], to bytes: inout ByteWriter) {
        var start = rows.startIndex
        while start < rows.endIndex {
            let entity = rows[start].key.entity
            let end = rows[start...].firstIndex { $0.key.entity != entity } ?? rows.endIndex
            bytes.write(number: UInt64(end - start))
            bytes.write(text: entity)
            for row in rows[start..<end] { row.write(to: &bytes) }
            start = end
        }
        bytes.write(number: 0)
        let inserted = Dictionary(
            grouping: rows.indices.filter { rows[$0].inserter != nil }, by: { rows[$0].inserter })
        bytes.write(number: UInt64(inserted.count))
        for case (let device?, let positions) in inserted.sorted(by: { $0.value[0] < $1.value[0] }) {
            bytes.write(device)
            bytes.write(number: UInt64(positions.count))
            for position in positions { bytes.write(number: UInt64(position - rows.startIndex)) }
        }
    }

    private func write(to bytes: inout ByteWriter) {
        bytes.write(key.id)
        guard let values else { return bytes.bytes.append(Form.deleted.rawValue) }
        let others = values.enumerated().dropFirst()
        if others.allSatisfy({ $1 != nil }) {
            bytes.bytes.append(Form.whole.rawValue)
            for (_, value) in others { bytes.write(optional: value) }
            return
        }
        bytes.bytes.append(Form.part.rawValue)
        let known = others.filter { $1 != nil }
        bytes.write(number: UInt64(known.count))
        for (position, value) in known {
            bytes.write(number: UInt64(position))
            bytes.write(optional: value)
        }
    }

    /// Reads rows.
    ///
    /// - Throws: `corrupted`; `schemaMismatch` for an entity that the schema lacks.
    static func rows(from bytes: inout ByteReader, _ schema: Schema) throws -> [RowPatch] {
        var rows: [RowPatch] = []
        while true {
            let count = try bytes.number()
            guard count > 0 else { break }
            let entity = try schema.require(try bytes.text())
            for _ in 0..<count { rows.append(try RowPatch(from: &bytes, entity)) }
        }
        for _ in 0..<(try bytes.number()) {
            let device = try bytes.uuid()
            for _ in 0..<(try bytes.number()) {
                let position = try bytes.int()
                guard rows.indices.contains(position) else { throw StoreError.unreadableMutation }
                rows[position].inserter = device
            }
        }
        return rows
    }

    private init(from bytes: inout ByteReader, _ entity: Entity) throws {
        let key = RowKey(entity.name, try bytes.uuid())
        guard let form = Form(rawValue: try bytes.byte()) else { throw StoreError.unreadableMutation }
        var values = [StoredValue?](repeating: nil, count: entity.attributes.count)
        values[0] = .uuid(key.id)
        switch form {
        case .deleted:
            self.init(key, nil)
            return
        case .whole:
            for position in values.indices.dropFirst() { values[position] = try bytes.optionalValue() }
        case .part:
            for _ in 0..<(try bytes.number()) {
                let position = try bytes.int()
                // The id is there.
                guard position > 0, values.indices.contains(position) else {
                    throw StoreError.unreadableMutation
                }
                values[position] = try bytes.optionalValue()
            }
        }
        self.init(key, values)
    }
}
