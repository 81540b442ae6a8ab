internal import SwitchyardCore

/// Comparisons and membership.
extension SQLWriter {
    /// Writes a comparison.
    ///
    /// A negated order comparison is true for nil.
    mutating func compare(
        _ lhs: Operand, _ comparison: Comparison, _ rhs: Operand, isOpposite: Bool, in source: SQLSource
    ) throws {
        switch comparison {
        case .equal, .notEqual: try equality(lhs, isEqual: comparison == .equal, rhs, in: source)
        default:
            if lhs.isNull || rhs.isNull { return write(isOpposite ? "TRUE" : "FALSE") }
            let canBeNull = try lhs.canBeNull(in: source) || rhs.canBeNull(in: source)
            guard isOpposite, canBeNull else {
                return try comparisonText(lhs, comparison.sqlOperator, rhs, in: source)
            }
            write("(")
            if lhs.isAttribute, case .value = rhs {
                // An index serves these two terms, unlike `IS NOT TRUE`.
                try comparisonText(lhs, comparison.sqlOperator, rhs, in: source)
                write(" OR ")
                try operand(lhs, as: nil, in: source)
                return write(" IS NULL)")
            }
            // A row fulfils the opposite of `a < b` whenever it does not fulfil `a < b`, also for NULL.
            try comparisonText(lhs, comparison.opposite.sqlOperator, rhs, in: source)
            write(") IS NOT TRUE")
        }
    }

    private mutating func equality(
        _ lhs: Operand, isEqual: Bool, _ rhs: Operand, in source: SQLSource
    ) throws {
        if lhs.isNull || rhs.isNull {
            let other = lhs.isNull ? rhs : lhs
            if other.isNull { return write(isEqual ? "TRUE" : "FALSE") }
            try operand(other, as: nil, in: source)
            return write(isEqual ? " IS NULL" : " IS NOT NULL")
        }
        let bothCanBeNull = try lhs.canBeNull(in: source) && rhs.canBeNull(in: source)
        let oneCanBeNull = try lhs.canBeNull(in: source) || rhs.canBeNull(in: source)
        // Indexes serve a plain `=`; if at most one side can be nil, its NULL counts as false.
        let needsDistinctness = isEqual ? bothCanBeNull : oneCanBeNull
        let symbol =
            needsDistinctness
            ? (isEqual ? dialect.sameOperator : dialect.differentOperator) : (isEqual ? "=" : "<>")
        try comparisonText(lhs, symbol, rhs, in: source)
    }

    private mutating func comparisonText(
        _ lhs: Operand, _ symbol: String, _ rhs: Operand, in source: SQLSource
    ) throws {
        let type = try type(of: lhs, in: source) ?? type(of: rhs, in: source)
        try operand(lhs, as: type, in: source)
        if !lhs.isAttribute, !rhs.isAttribute { collation(type) }
        write(" \(symbol) ")
        try operand(rhs, as: type, in: source)
    }

    /// Writes the collation of a type where no column determines it.
    mutating func collation(_ type: AttributeType?) {
        guard let type, let collation = dialect.collations[type] else { return }
        write(" COLLATE \(SQLDialect.quoted(collation))")
    }

    mutating func membership(
        of operand: Operand, _ values: [StoredValue], negated: Bool, in source: SQLSource
    ) throws {
        let present = values.filter { !$0.isNull }
        let includesNull = present.count < values.count
        let canBeNull = try operand.canBeNull(in: source)
        switch (present.count, includesNull) {
        case (0, false): return write(negated ? "TRUE" : "FALSE")
        case (0, true), (1, false):
            let only = present.first ?? .null
            return try equality(operand, isEqual: !negated, .value(only), in: source)
        case (_, true) where !negated:
            write("(")
            try memberText(of: operand, present, negated: false, in: source)
            write(" OR ")
            try equality(operand, isEqual: true, .value(.null), in: source)
            return write(")")
        case (_, false) where negated && canBeNull:
            write("(")
            try memberText(of: operand, present, negated: false, in: source)
            return write(") IS NOT TRUE")
        default:
            // If the list contains null, a NULL is a member; `NOT IN` then gives NULL, which counts as false.
            try memberText(of: operand, present, negated: negated, in: source)
        }
    }

    private mutating func memberText(
        of operand: Operand, _ values: [StoredValue], negated: Bool, in source: SQLSource
    ) throws {
        let type = try type(of: operand, in: source) ?? values.first?.type ?? .text
        try self.operand(operand, as: type, in: source)
        if !operand.isAttribute { collation(type) }
        if writesLiterals {
            write(negated ? " NOT IN (" : " IN (")
            list(values) { writer, value in writer.value(value, type) }
            return write(")")
        }
        members(values, type, negated: negated)
    }

    /// Writes the test for membership in a list that is one parameter.
    mutating func members(_ values: [StoredValue], _ type: AttributeType, negated: Bool = false) {
        switch dialect.membership {
        case .anyArray:
            write(negated ? " <> ALL (" : " = ANY (")
            placeholder(.list(values, type))
            write(")")
        case .tableFunction(let name):
            write(negated ? " NOT IN (" : " IN (")
            write("SELECT \"value\" FROM \(SQLDialect.quoted(name))(")
            placeholder(.list(values, type))
            write("))")
        }
    }
}

extension Comparison {
    fileprivate var sqlOperator: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}
