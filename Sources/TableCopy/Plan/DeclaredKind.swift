/// The purpose that a column's declared type suggests, in the usual names of types.
///
/// SQLite itself derives only an affinity from them, by which `UUID` is a number and `POINT` an integer.
enum DeclaredKind: Sendable {
    case integer, real, decimal, boolean, text, blob
    /// A day, a time without a zone, one with a zone, and a time of day.
    case day, time, zonedTime, timeOfDay
    /// Words that name none of these, such as `UUID`, `JSON` or `ENUM`.
    case other
    /// No words, or `ANY`.
    case none

    init(_ column: SourceColumn) {
        let name = column.declaredType.uppercased()
        let words = name.prefix { $0 != "(" }.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        let first = words.first ?? ""
        self =
            switch column.affinity {
            case _ where words.isEmpty || words == ["ANY"]: .none
            case .text: .text
            case .real: .real
            case .blob: .blob
            case .integer where words.contains(where: Self.isInteger): .integer
            case .integer, .numeric: Self.kind(of: first, among: words)
            }
    }

    /// Whether a word names integers, such as `INT8` or `MEDIUMINT`, but not `POINT` or `INTERVAL`.
    private static func isInteger(_ word: String) -> Bool {
        let letters = word.prefix { $0.isLetter }
        return letters == "INTEGER" || letters.hasSuffix("INT") && !letters.hasSuffix("POINT")
    }

    private static func kind(of first: String, among words: [String]) -> DeclaredKind {
        if first.hasPrefix("BOOL") { return .boolean }
        if ["NUM", "DEC"].contains(where: first.hasPrefix)
            || ["MONEY", "SMALLMONEY", "CURRENCY", "FIXED"].contains(first)
        {
            return .decimal
        }
        guard words.contains(where: { $0.contains("DATE") || $0.contains("TIME") }) else { return .other }
        if words == ["DATE"] { return .day }
        if first.hasPrefix("TIME"), !first.hasPrefix("TIMESTAMP") { return .timeOfDay }
        let hasZone =
            ["TIMESTAMPTZ", "DATETIMETZ", "DATETIMEOFFSET", "TIMESTAMPLTZ"].contains(first)
            || words.contains("WITH") && words.contains("ZONE")
        return hasZone ? .zonedTime : .time
    }

    /// Whether a type holds what the declaration is for, so that nothing needs to be told.
    func accepts(_ type: TargetType) -> Bool {
        switch (self, type) {
        case (.none, _), (.integer, .bigint), (.real, .double), (.decimal, .numeric), (.boolean, .boolean),
            (.text, .text), (.timeOfDay, .text), (.other, .text), (.blob, .bytea), (.day, .date),
            (.time, .timestamp):
            true
        case (.zonedTime, .timestamp(let form)): form.hasZone
        default: false
        }
    }
}
