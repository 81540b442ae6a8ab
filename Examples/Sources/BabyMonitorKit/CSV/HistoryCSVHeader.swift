internal import Switchyard
internal import SwitchyardCSV
internal import SwitchyardCore

/// What the first row of a file says about it.
enum HistoryCSVHeader {
    /// A legacy file; its first row is a header or, in a file without one, data.
    case legacy(LegacyColumns, isHeader: Bool)
    /// A full file, with the position of each of the format's columns.
    case full(FullFormat, positions: [Int])

    /// Examines the first row that is not an empty line.
    ///
    /// - Throws: `BabyMonitorError` with code `unknownFormat` for a file of the other kind or an unknown format,
    ///   saying what it appears to be; `CSVError` with code `duplicateColumn`.
    init(_ row: CSVRow, of kind: HistoryCSVKind, schema: Schema) throws {
        if FullFormat.isHeader(row) {
            let format = try FullFormat(kind, schema)
            self = .full(format, positions: try format.positions(in: row, kind, schema))
        } else if let columns = try LegacyColumns(header: row, of: kind) {
            self = .legacy(columns, isHeader: true)
        } else {
            try Self.requireCommas(row)
            try Self.requireRow(of: kind, row)
            self = .legacy(LegacyColumns(kind), isHeader: false)
        }
    }

    /// The format, for people.
    var format: HistoryCSVFormat {
        switch self {
        case .legacy: .legacy
        case .full: .full
        }
    }

    /// Refuses separators and directives that spreadsheets write in place of commas.
    private static func requireCommas(_ row: CSVRow) throws {
        if row.trimmedBytes(at: 0).prefix(4).elementsEqual("sep=".utf8) {
            throw BabyMonitorError(
                .unknownFormat,
                "The first line says how cells are separated (sep=), which only some spreadsheets understand. Remove "
                    + "the line; cells are separated by commas. Nothing was imported.")
        }
        guard ISO8601.microseconds(row.trimmedBytes(at: 1)) == nil else { return }
        for (separator, name) in [(UInt8(ascii: ";"), "semicolons"), (UInt8(ascii: "\t"), "tabs")]
        where (0..<row.count).contains(where: { row.bytes(at: $0).contains(separator) }) {
            throw BabyMonitorError(
                .unknownFormat,
                "The cells of the file seem to be separated by \(name). Save it with commas between them. Nothing was "
                    + "imported.")
        }
    }

    /// Refuses a row that belongs to the other kind of file.
    private static func requireRow(of kind: HistoryCSVKind, _ row: CSVRow) throws {
        guard ISO8601.microseconds(row.trimmedBytes(at: 1)) != nil else { return }
        let cell = row.trimmedBytes(at: 2)
        let isOther =
            switch kind {
            case .feeds:
                DiaperType(rawValue: String(decoding: cell, as: UTF8.self).lowercased()) != nil
            case .diapers: NumberText.double(cell) != nil
            }
        if isOther { throw BabyMonitorError.otherKind(than: kind) }
    }
}
