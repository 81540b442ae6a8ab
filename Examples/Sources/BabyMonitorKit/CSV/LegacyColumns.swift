internal import SwitchyardCSV

/// The positions of the columns in a legacy file.
struct LegacyColumns {
    /// The position of each column of `HistoryCSVKind.legacyColumns`; -1 for a missing one, which reads as
    /// empty.
    private let positions: [Int]
    /// How many leading cells belong to a column, without a gap.
    private let dense: Int

    private init(positions: [Int]) {
        self.positions = positions
        var dense = 0
        while positions.contains(dense) { dense += 1 }
        self.dense = dense
    }

    /// The columns of a file without a header.
    init(_ kind: HistoryCSVKind) { self.init(positions: Array(kind.legacyColumns.indices)) }

    /// Reads a header: a row whose first cell is `babyName`, in any case, or that has both `babyName` and
    /// `timestamp`.
    ///
    /// Columns are found by name, in any order. If the header merely ends early, as in older files, the columns
    /// after it are in their usual places.
    ///
    /// - Returns: The columns; nil if the row is not a header.
    /// - Throws: `BabyMonitorError` with code `unknownFormat` for the header of the other kind of file and for
    ///   unknown or missing columns; `CSVError` with code `duplicateColumn`.
    init?(header row: CSVRow, of kind: HistoryCSVKind) throws {
        let cells = (0..<row.count).map {
            String(decoding: row.trimmedBytes(at: $0), as: UTF8.self).lowercased()
        }
        guard cells[0] == "babyname" || cells.contains("babyname") && cells.contains("timestamp") else {
            return nil
        }
        let header = try CSVHeader(row)
        let columns = kind.legacyColumns
        let unknown = header.differences(from: columns).unknown.filter { !$0.isEmpty }
        if !CSVHeader.keys(of: unknown).isDisjoint(with: CSVHeader.keys(of: kind.other.legacyColumns)) {
            throw BabyMonitorError.otherKind(than: kind)
        }
        if let name = unknown.first {
            throw BabyMonitorError(
                .unknownFormat,
                "The header has an unknown column '\(Excerpt.of(name))'. The columns are: "
                    + "\(columns.joined(separator: ", ")). Nothing was imported.")
        }
        let found = columns.map { header.index(of: $0) ?? -1 }
        let named = found.filter { $0 >= 0 }.count
        if Array(found.prefix(named)) == Array(0..<named), header.names.count == named {
            self.init(kind)
            return
        }
        let required = kind == .feeds ? columns.prefix(2) : columns.prefix(3)
        if let missing = required.first(where: { header.index(of: $0) == nil }) {
            throw BabyMonitorError(
                .unknownFormat, "The header lacks the column \(missing). Nothing was imported.")
        }
        self.init(positions: found)
    }

    /// The position of a column.
    subscript(_ column: Int) -> Int { positions[column] }

    /// Refuses a cell outside the known columns, whose content would otherwise be lost silently.
    func requireNoSurplus(in row: CSVRow) throws(InvalidCell) {
        guard row.count > dense else { return }
        for index in dense..<row.count where !positions.contains(index) {
            let cell = row.trimmedBytes(at: index)
            guard cell.isEmpty else { throw InvalidCell("cell \(index + 1)", cell) }
        }
    }
}

extension HistoryCSVKind {
    /// The other kind.
    var other: HistoryCSVKind { self == .feeds ? .diapers : .feeds }
}

extension BabyMonitorError {
    /// The error for a file of the other kind.
    static func otherKind(than kind: HistoryCSVKind) -> BabyMonitorError {
        BabyMonitorError(
            .unknownFormat,
            "The file holds \(kind.other.rawValue), not \(kind.rawValue). Import it as \(kind.other.rawValue)."
        )
    }
}
