internal import GRDBSQLite

/// The aggregate `switchyard_sum`: the exact sum of integers, which fails only if the final sum overflows.
///
/// SQLite's `SUM` fails as soon as an intermediate sum overflows, which depends on the order of the rows.
enum SumFunction {
    /// A 128-bit sum in two halves, laid out in SQLite's zeroed memory.
    private struct Sum {
        var high: Int64
        var low: UInt64
    }

    static func register(on connection: OpaquePointer) -> CInt {
        sqlite3_create_function_v2(
            connection, "switchyard_sum", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil,
            { context, _, arguments in
                guard let value = arguments?[0], sqlite3_value_type(value) == SQLITE_INTEGER else { return }
                guard let memory = sqlite3_aggregate_context(context, CInt(MemoryLayout<Sum>.size)) else {
                    return sqlite3_result_error_nomem(context)
                }
                let sum = memory.assumingMemoryBound(to: Sum.self)
                let addend = sqlite3_value_int64(value)
                let (low, hasCarry) = sum.pointee.low.addingReportingOverflow(UInt64(bitPattern: addend))
                sum.pointee.low = low
                sum.pointee.high &+= (addend < 0 ? -1 : 0) + (hasCarry ? 1 : 0)
            },
            { context in
                // Without rows, no memory was allocated.
                guard let memory = sqlite3_aggregate_context(context, 0) else {
                    return sqlite3_result_int64(context, 0)
                }
                let sum = memory.assumingMemoryBound(to: Sum.self).pointee
                let result = Int64(bitPattern: sum.low)
                // The sum fits if the upper half only extends the sign of the lower.
                guard sum.high == (result < 0 ? -1 : 0) else {
                    return sqlite3_result_error(context, ArithmeticFunctions.overflowMessage, -1)
                }
                sqlite3_result_int64(context, result)
            }, nil)
    }
}
