internal import Foundation
internal import SwitchyardCore

/// The file of a table: a JSON array with one row per line, whose keys are the names of the columns.
///
/// ```json
/// [
/// {"id":{"uuid":"0198…"},"millilitres":{"double":"120.0"},"start":{"timestamp":"1773910800000000"}},
/// {"id":{"uuid":"0198…"},"start":{"timestamp":"1773925200000000"}}
/// ]
/// ```
///
/// Values are encoded as `StoredValue` encodes itself, which keeps every bit; nil is left out.
enum RowFile {
    /// Encodes the file of a table.
    static func data(of snapshot: Snapshot, table: String) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines: [String] = []
        try snapshot.forEachRow(inTable: table) { row in
            lines.append(String(decoding: try encoder.encode(row), as: UTF8.self))
        }
        return Data(("[\n" + lines.joined(separator: ",\n") + "\n]\n").utf8)
    }

    /// Reads the file of a table into a snapshot.
    ///
    /// - Throws: `corrupted`, with the row and the attribute if they are known.
    static func read(_ data: Data, into snapshot: inout Snapshot, table: String) throws {
        let rows: [Snapshot.Row]
        do {
            rows = try JSONDecoder().decode([Snapshot.Row].self, from: data)
        } catch {
            var damage = StoreError(
                .corrupted,
                "The file of rows is damaged. Restore it from a backup, or repair it; nothing was changed.",
                underlying: error)
            let entity = snapshot.schema.entity(inTable: table)
            let column = columnNotUTF8(data) ?? unreadableColumn(in: error)
            damage.entity = entity?.name
            damage.attribute = entity?.attributes.first { $0.column == column }?.name
            throw damage
        }
        try snapshot.setRows(rows, inTable: table)
    }

    /// The column that the decoder could not read; nil if the error does not say.
    private static func unreadableColumn(in error: any Error) -> String? {
        switch error as? DecodingError {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            context.codingPath.dropFirst().first?.stringValue
        default: nil
        }
    }

    /// The first column whose text is not valid UTF-8; nil if the whole file is.
    ///
    /// The decoder only reports that the file is not JSON, so invalid bytes are replaced, and the replacements are
    /// searched for.
    private static func columnNotUTF8(_ data: Data) -> String? {
        guard String(validating: data, as: UTF8.self) == nil else { return nil }
        let readable = Data(String(decoding: data, as: UTF8.self).utf8)
        let rows = try? JSONDecoder().decode([Snapshot.Row].self, from: readable)
        for (column, value) in (rows ?? []).joined() {
            if case .text(let text) = value, text.unicodeScalars.contains("\u{FFFD}") { return column }
        }
        return nil
    }
}
