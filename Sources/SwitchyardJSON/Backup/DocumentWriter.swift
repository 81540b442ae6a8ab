internal import Foundation
internal import SwitchyardCSV
internal import SwitchyardCore

/// Writes a document row by row.
final class DocumentWriter {
    private let sink: any ByteSink
    private var buffer: [UInt8] = []

    init(_ sink: any ByteSink) { self.sink = sink }

    /// Writes all rows of some entities.
    ///
    /// - Returns: The number of rows of each.
    func write(_ entities: [(key: String, entity: Entity)], of tx: ReadTransaction) throws -> [String: Int] {
        do {
            append("{\n  ")
            append(DocumentHeader.text(tx.schema))
            var counts: [String: Int] = [:]
            for (key, entity) in entities {
                append(",\n  ")
                append(string: key)
                append(": [")
                counts[entity.name] = try write(entity, of: tx)
                append("]")
            }
            append("\n}\n")
            try flush()
            try sink.finish()
            return counts
        } catch {
            sink.abandon()
            throw error
        }
    }

    private func write(_ entity: Entity, of tx: ReadTransaction) throws -> Int {
        let names = entity.attributes.map { attribute in
            var name: [UInt8] = []
            CanonicalJSON.write(attribute.name.utf8, into: &name)
            return name + ": ".utf8
        }
        var count = 0
        try tx.forEachRow(of: entity.name) { row in
            append(count == 0 ? "\n    {" : ",\n    {")
            let start = buffer.count
            for (name, value) in zip(names, row) where !value.isNull {
                if buffer.count > start { append(", ") }
                buffer += name
                try append(value, of: entity)
            }
            append("}")
            guard buffer.count - start < JSONScanner.mostBytes else {
                throw StoreError(
                    .valueNotRepresentable,
                    "A row is longer than \(JSONScanner.mostBytes) bytes in JSON, which is more than can be restored.",
                    entity: entity.name)
            }
            count += 1
            if buffer.count >= 1 << 16 { try flush() }
        }
        if count > 0 { append("\n  ") }
        return count
    }

    private func append(_ value: StoredValue, of entity: Entity) throws {
        switch value {
        case .null: append("null")
        case .bool(let bool): append(bool ? "true" : "false")
        case .int(let integer): append(String(integer))
        case .double(let double):
            if double.isFinite {
                append(double.description)
            } else {
                append(string: double > 0 ? "Infinity" : "-Infinity")
            }
        case .decimal(let decimal): append(string: try text(CanonicalDecimal.text(decimal), of: entity))
        case .text(let text): append(string: text)
        case .json(let text): append(text)
        case .blob(let data): append(string: data.base64EncodedString())
        case .uuid(let uuid): append(string: uuid.uuidString.lowercased())
        case .timestamp(let time): append(string: try text(ISO8601.text(time, precision: .exact), of: entity))
        case .day(let day): append(string: day.description)
        }
    }

    private func text(_ text: String?, of entity: Entity) throws -> String {
        guard let text else {
            throw StoreError(.corrupted, "The store holds a value that no type has.", entity: entity.name)
        }
        return text
    }

    private func append(_ text: String) { buffer += text.utf8 }

    private func append(string: String) { CanonicalJSON.write(string.utf8, into: &buffer) }

    private func flush() throws {
        try buffer.withUnsafeBytes { try sink.write($0) }
        buffer.removeAll(keepingCapacity: true)
    }
}
