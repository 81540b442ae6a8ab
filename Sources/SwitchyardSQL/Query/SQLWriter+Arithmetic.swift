internal import SwitchyardCore

/// Calculations. In a condition, each is an expression that raises no errors and contains its operands once; in an
/// assignment, the database raises the error.
extension SQLWriter {
    mutating func arithmetic(
        _ lhs: Operand, _ calculation: ArithmeticOperator, _ rhs: Operand, type: AttributeType?,
        in source: SQLSource
    ) throws {
        let (before, between, after) =
            switch (dialect.arithmetic, calculations, calculation) {
            case (.functions(let names), _, _):
                (names.prefix(calculations) + calculation.rawValue + "(", ", ", ")")
            // Adding 0 turns −0 into +0.
            case (.operators, .condition, .divide) where type == .double:
                ("(NULLIF(", " / NULLIF(", ", 0), 'NaN'::double precision) + 0)")
            case (.operators, _, _) where type == .double:
                ("(NULLIF(", " \(calculation.symbol) ", ", 'NaN'::double precision) + 0)")
            case (.operators, .assignment, _): ("(", " \(calculation.symbol) ", ")")
            // This also gives 0 for the divisor −1.
            case (.operators, .condition, .remainder): ("(", " % NULLIF(", ", 0))")
            case (.operators, .condition, .divide):
                (Self.rangeStart + "div(", "::numeric, NULLIF(", ", 0))" + Self.rangeEnd)
            case (.operators, .condition, _):
                (Self.rangeStart, "::numeric \(calculation.symbol) ", Self.rangeEnd)
            }
        write(before)
        try operand(lhs, as: type, in: source)
        write(between)
        try operand(rhs, as: type, in: source)
        write(after)
    }

    /// Writes the negation of a number.
    mutating func negated(_ inner: Operand, type: AttributeType?, in source: SQLSource) throws {
        let (before, after) =
            switch (dialect.arithmetic, calculations) {
            case (.functions(let names), _): (names.prefix(calculations) + "negate(", ")")
            // Zero minus the number: a sign alone would turn 0 into −0.
            case (.operators, .condition) where type != .double:
                ("(0 - NULLIF(", ", '-9223372036854775808'::bigint))")
            case (.operators, _): ("(0 - ", ")")
            }
        write(before)
        try operand(inner, as: type, in: source)
        write(after)
    }

    /// The start of an expression that converts a `numeric` to 64 bits, and to NULL if it does not fit: it clamps
    /// numbers that are out of range to the one next to the range.
    ///
    /// `GREATEST` and `LEAST` ignore NULL, so that it becomes the lower bound, and then NULL again. A `CASE` would have
    /// to repeat the calculation.
    private static let rangeStart = "NULLIF(NULLIF(LEAST(GREATEST("
    private static let rangeEnd =
        ", -9223372036854775809), 9223372036854775808), -9223372036854775809), 9223372036854775808)::bigint"
}
