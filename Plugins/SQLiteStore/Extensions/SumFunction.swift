internal import GRDBSQLite

/// The aggregate `switchyard_sum`: the exact sum of integers, an error only if the sum itself does not fit.
///
/// SQLite's `SUM` fails as soon as a part of the sum does not fit, which depends on the order of the rows.
enum SumFunction {
    /// A sum of 128 bits in two halves, as SQLite's zeroed memory holds it.
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
                // No memory was asked for if there was no row.
                guard let memory = sqlite3_aggregate_context(context, 0) else {
                    return sqlite3_result_int64(context, 0)
                }
                let sum = memory.assumingMemoryBound(to: Sum.self).pointee
                let result = Int64(bitPattern: sum.low)
                // It fits if the upper half is nothing but the sign of the lower.
                guard sum.high == (result < 0 ? -1 : 0) else {
                    return sqlite3_result_error(context, ArithmeticFunctions.overflowMessage, -1)
                }
                sqlite3_result_int64(context, result)
            }, nil)
    }
}
