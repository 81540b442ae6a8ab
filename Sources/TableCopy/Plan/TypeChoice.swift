internal import Foundation

/// The choice of a column's type, by what was declared and by what it holds.
struct TypeChoice {
    private let column: SourceColumn
    private let table: String
    private let census: ColumnCensus
    private let kind: DeclaredKind
    private(set) var findings: [TableCopyFinding] = []
    /// The type; arbitrary for a column that cannot be copied, which has a refusal.
    private(set) var type = TargetType.text

    init(_ column: SourceColumn, in table: String, _ census: ColumnCensus) {
        (self.column, self.table, self.census) = (column, table, census)
        kind = DeclaredKind(column)
        if census.values == 0 {
            chooseWithoutValues()
        } else if census.blobs > 0 {
            chooseForBlobs()
        } else if census.texts > 0 {
            chooseForTexts()
        } else {
            chooseForNumbers()
        }
        requireSizes()
        if findings.isEmpty, !kind.accepts(type) {
            change("\(contents), and becomes \(type.name).", census.values > 0 ? census.values : nil)
        }
    }

    private var declared: String { column.declaredType.uppercased() }
    private var isBoolean: Bool { kind == .boolean }
    private var isTime: Bool { [.day, .time, .zonedTime, .timeOfDay].contains(kind) }
    private var isDecimal: Bool { column.affinity == .numeric && !isBoolean && !isTime }

    /// The column's content, if its declaration suggests something else.
    private var contents: String {
        switch type {
        case _ where census.values == 0: "holds no values"
        case .date: "holds days alone"
        case .timestamp(let form): "holds times \(form.hasZone ? "with" : "without") a zone"
        case .text where isTime: "holds texts that are not all times of one form"
        case .text: "holds texts alone"
        case _ where census.reals == 0: "holds integers alone"
        case _ where census.integers == 0: "holds reals alone"
        default: "holds integers and reals"
        }
    }

    /// The digits that were declared, if PostgreSQL takes them and all numbers fit.
    private var precision: TargetType.Precision? {
        guard let precision = declaredPrecision else { return nil }
        let digits = census.digits
        let fits =
            digits.fraction <= precision.fraction && digits.whole <= precision.digits - precision.fraction
        return fits ? precision : nil
    }

    private var declaredPrecision: TargetType.Precision? {
        guard let open = declared.firstIndex(of: "("), let close = declared.lastIndex(of: ")"), open < close
        else { return nil }
        let numbers = declared[declared.index(after: open)..<close].split(separator: ",").map {
            Int($0.trimmingCharacters(in: .whitespaces))
        }
        guard let digits = numbers.first ?? nil, (1...1000).contains(digits), numbers.count <= 2,
            let fraction = numbers.count == 2 ? numbers[1] : 0, (0...digits).contains(fraction)
        else { return nil }
        return TargetType.Precision(digits: digits, fraction: fraction)
    }

    private mutating func chooseWithoutValues() {
        type =
            switch kind {
            case .integer: .bigint
            case .real: .double
            case .decimal: .numeric(declaredPrecision)
            case .boolean: .boolean
            case .blob: .bytea
            case .day: .date
            case .time: .timestamp(.second)
            case .zonedTime: .timestamp(.zonedSecond)
            case .text, .timeOfDay, .other, .none: .text
            }
        if kind == .other { change("holds no values, and becomes text.", nil) }
    }

    private mutating func chooseForBlobs() {
        type = .bytea
        let others = census.values - census.blobs
        if others > 0 {
            refuse(
                "holds \(count(census.blobs, "blob")) beside \(count(others, "value")) of other types, which no type of PostgreSQL does.",
                census.blobs)
        } else if column.affinity != .blob {
            change("holds blobs, and becomes bytea.", census.blobs)
        }
    }

    private mutating func chooseForTexts() {
        if census.textsWithNUL > 0 {
            refuse(
                "holds \(count(census.textsWithNUL, "text")) with U+0000, which PostgreSQL does not store.",
                census.textsWithNUL)
        }
        if census.invalidTexts > 0 {
            refuse("holds \(count(census.invalidTexts, "text")) in no valid encoding.", census.invalidTexts)
        }
        guard census.numbers > 0 else {
            if isTime, let form = census.form { type = form == .day ? .date : .timestamp(form) }
            return
        }
        // A numeric column holds no text that reads as a number, so each number keeps a text of its own.
        if column.affinity.isNumeric, census.infiniteReals == 0 {
            change(
                "holds \(count(census.texts, "text")) beside \(count(census.numbers, "number")), and becomes text.",
                census.texts)
        } else {
            refuse(
                "holds \(count(census.texts, "text")) beside \(count(census.numbers, "number")), which text could not tell apart.",
                census.texts)
        }
    }

    private mutating func chooseForNumbers() {
        let isExact = census.otherReals == 0 && census.infiniteReals == 0
        if census.reals == 0, isBoolean, census.integerRange.map({ (0...1).contains($0) }) ?? false {
            type = .boolean
        } else if census.reals == 0, !isDecimal, column.affinity != .real {
            type = .bigint
            if isBoolean { change("holds integers other than 0 and 1, and becomes bigint.", nil) }
        } else if isDecimal, isExact {
            type = .numeric(precision)
            if precision == nil, declaredPrecision != nil {
                change("holds numbers of more digits than it declares, and becomes numeric.", nil)
            }
        } else if census.inexactIntegers == 0 {
            type = .double
            if column.affinity == .integer {
                change("holds \(count(census.reals, "real")), and becomes double precision.", census.reals)
            } else if isDecimal {
                change("holds numbers that no decimal of 38 digits is, and becomes double precision.", nil)
            }
        } else if isExact {
            type = .numeric(nil)
            change("holds reals beside integers that no double holds, and becomes numeric.", census.reals)
        } else {
            refuse(
                "holds \(count(census.inexactIntegers, "integer")) that no double holds, beside reals that no decimal of 38 digits does.",
                census.inexactIntegers)
        }
    }

    /// PostgreSQL accepts at most 1 GiB for a row, and sends bytes as text in messages of its own.
    private mutating func requireSizes() {
        let longest = max(census.longestText, census.longestBlob)
        if longest > 1_000_000_000 {
            refuse("holds a value of \(longest) bytes; PostgreSQL takes 1 GB.", nil)
        }
    }

    private func count(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }

    private mutating func refuse(_ what: String, _ count: Int?) {
        findings.append(.refused(sentence(what), table: table, column: column.name, count: count))
    }

    private mutating func change(_ what: String, _ count: Int?) {
        findings.append(.changed(sentence(what), table: table, column: column.name, count: count))
    }

    private func sentence(_ what: String) -> String {
        let type = column.declaredType.isEmpty ? "without a type" : "declared \(column.declaredType)"
        return "The column \(table).\(column.name), \(type), \(what)"
    }
}
