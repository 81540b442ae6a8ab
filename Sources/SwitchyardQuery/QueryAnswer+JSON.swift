internal import Foundation
internal import SwitchyardCore

extension QueryAnswer {
    /// The rows as a JSON array of objects, one on each line.
    ///
    /// A related row is an object in it, and a list of them an array. Numbers are JSON numbers, except decimals and
    /// infinite doubles, which are text, as are UUIDs, days, times in UTC and blobs as Base64: the values of a backup.
    public var json: String {
        guard !rows.isEmpty else { return "[]" }
        var output = Array("[".utf8)
        for (position, row) in rows.enumerated() {
            output += (position == 0 ? "\n  " : ",\n  ").utf8
            Self.write(row, columns, to: &output)
        }
        return String(decoding: output + "\n]".utf8, as: UTF8.self)
    }

    private static func write(_ row: [AnswerCell], _ columns: [AnswerColumn], to output: inout [UInt8]) {
        output += "{".utf8
        for (position, (cell, column)) in zip(row, columns).enumerated() {
            if position > 0 { output += ", ".utf8 }
            CanonicalJSON.write(column.name.utf8, into: &output)
            output += ": ".utf8
            switch (cell, column.content) {
            case (.value(let value), _): write(value, to: &output)
            case (.row(let inner?), .row(let columns)): write(inner, columns, to: &output)
            case (.rows(let list), .rows(let columns)):
                output += "[".utf8
                for (position, inner) in list.enumerated() {
                    if position > 0 { output += ", ".utf8 }
                    write(inner, columns, to: &output)
                }
                output += "]".utf8
            default: output += "null".utf8
            }
        }
        output += "}".utf8
    }

    private static func write(_ value: StoredValue, to output: inout [UInt8]) {
        switch value {
        case .null: output += "null".utf8
        case .bool, .int, .json: output += ValueText.plain(value).utf8
        case .double(let double) where double.isFinite: output += ValueText.plain(value).utf8
        case .double(let double):
            CanonicalJSON.write((double > 0 ? "Infinity" : "-Infinity").utf8, into: &output)
        case .decimal, .text, .blob, .uuid, .timestamp, .day:
            CanonicalJSON.write(ValueText.plain(value).utf8, into: &output)
        }
    }
}
