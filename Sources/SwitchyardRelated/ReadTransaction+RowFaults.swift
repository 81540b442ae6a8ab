internal import Foundation

extension ReadTransaction {
    /// The rows that no store would take if they were inserted: because of a value that cannot be stored everywhere, such
    /// as a text with NUL, or because of their size.
    ///
    /// A store refuses such rows, so that they were written past it.
    ///
    /// - Parameters:
    ///   - condition: Which rows of an entity are read; all by default.
    ///   - limit: The maximum number of rows that are named.
    /// - Returns: A sentence for each, without values.
    /// - Throws: As any read.
    /// - Complexity: Reads every row, or has the database look at it.
    package func rowFaults(
        where condition: (Entity) -> Condition = { _ in .constant(true) }, limit: Int
    ) throws -> [String] {
        var faults: [String] = []
        for entity in schema.entities where faults.count < limit {
            let (plain, check, values) = (PlainRowTest(entity), RowCheck(entity), ValueCheck(entity))
            var writer = RowWriter(context: entity.errorContext)
            let rows = Selection.rows(
                of: entity, where: try condition(entity).validated(in: entity, schema: schema), order: [])
            try driver.select(rows, onlyDoubtful: true) { row in
                if try plain.accepts(&row) { return true }
                row.rewind()
                var id: StoredValue?
                do {
                    let read = try entity.attributes.map { attribute in
                        let value = try row.read(attribute.type)
                        id = id ?? value
                        return value
                    }
                    writer.reset()
                    for value in try values.fitting(read) { try writer.write(value) }
                    try check.complete(&writer)
                } catch let error as StoreError {
                    faults.append("\(Self.name(ofRowWithID: id)): \(error)")
                }
                return faults.count < limit
            }
        }
        return faults
    }

    private static func name(ofRowWithID id: StoredValue?) -> String {
        if case .uuid(let id) = id { "Row \(id.uuidString.lowercased())" } else { "A row" }
    }
}

/// A quick test that most rows pass, by their cells alone.
///
/// A row that it does not accept must be looked at closely.
private struct PlainRowTest {
    private struct Column {
        let type: AttributeType
        let isOptional: Bool
        let domain: NumberDomain?
        /// The cases of an enum whose raw values are texts.
        let cases: [[UInt8]]?
        /// Whether it has cases of another type.
        let hasOtherCases: Bool
    }

    private let columns: [Column]

    init(_ entity: Entity) {
        columns = entity.attributes.map { attribute in
            let texts = attribute.cases?.compactMap { value -> [UInt8]? in
                if case .text(let text) = value { Array(text.utf8) } else { nil }
            }
            return Column(
                type: attribute.type, isOptional: attribute.isOptional, domain: attribute.domain,
                cases: texts,
                hasOtherCases: texts?.count != attribute.cases?.count)
        }
    }

    func accepts(_ row: inout RowReader) throws -> Bool {
        var length = 0
        // Through pointers, so that no column is copied, with its list of cases, for each cell.
        return try columns.withUnsafeBufferPointer { columns in
            guard let start = columns.baseAddress else { return true }
            for index in 0..<columns.count {
                let cell = try row.next()
                guard Self.accepts(cell, start + index) else { return false }
                length += cell.count
            }
            return length <= Limits.plainBytes
        }
    }

    private static func accepts(_ cell: Cell, _ column: UnsafePointer<Column>) -> Bool {
        if cell.kind == .null { return column.pointee.isOptional }
        if column.pointee.hasOtherCases { return false }
        switch (column.pointee.type, cell.kind) {
        case (.int, .integer): return column.pointee.domain?.contains(.int(cell.word)) ?? true
        case (.bool, .integer): return cell.word == 0 || cell.word == 1
        case (.timestamp, .integer): return Timestamp.range.contains(cell.word)
        case (.double, .double):
            return column.pointee.domain == nil && cell.double.isFinite && cell.word != Int64.min
        case (.uuid, .blob): return cell.count == 16
        case (.blob, .blob): return true
        case (.text, .text):
            if let cases = column.pointee.cases {
                return cases.contains { $0.count == cell.count && $0.elementsEqual(cell.bytes) }
            }
            return cell.bytes.allSatisfy { $0 > 0 && $0 < 0x80 }
        case (.decimal, _), (.day, _), (.json, _): return false
        default: return false
        }
    }
}
