internal import GRDBSQLite
internal import SwitchyardCore

/// Calculations as SQL functions, since SQLite's own operators convert to doubles when an integer overflows.
///
/// `switchyard_add` and so on are for conditions, and return NULL if there is no result; `switchyard_checked_add` and
/// so on are for assignments, and raise an error instead.
enum ArithmeticFunctions {
    /// SQLite's message for an overflow, by which the error is recognised.
    static let overflowMessage = "switchyard: overflow"
    /// SQLite's message for a division by zero.
    static let divisionMessage = "switchyard: division by zero"

    static func register(on connection: OpaquePointer) -> CInt {
        var code = SQLITE_OK
        func add(
            _ name: String, _ count: CInt,
            _ function:
                @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void
        ) {
            for (prefix, context) in [("switchyard_", nil), ("switchyard_checked_", assignment)]
            where code == SQLITE_OK {
                code = sqlite3_create_function_v2(
                    connection, prefix + name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, context, function,
                    nil, nil, nil)
            }
        }
        add("add", 2) { context, _, arguments in ArithmeticFunctions.calculate(.add, context, arguments) }
        add("subtract", 2) { context, _, arguments in
            ArithmeticFunctions.calculate(.subtract, context, arguments)
        }
        add("multiply", 2) { context, _, arguments in
            ArithmeticFunctions.calculate(.multiply, context, arguments)
        }
        add("divide", 2) { context, _, arguments in ArithmeticFunctions.calculate(.divide, context, arguments)
        }
        add("remainder", 2) { context, _, arguments in
            ArithmeticFunctions.calculate(.remainder, context, arguments)
        }
        add("negate", 1) { context, _, arguments in
            ArithmeticFunctions.give(to: context) {
                try ArithmeticFunctions.number(arguments?[0]).negated(
                    in: ArithmeticFunctions.context(of: context))
            }
        }
        return code
    }

    private static func calculate(
        _ symbol: ArithmeticOperator, _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        give(to: context) {
            try symbol.result(
                number(arguments?[0]), number(arguments?[1]), in: Self.context(of: context))
        }
    }

    /// The user data of the functions for assignments, which is never dereferenced; those for conditions have none.
    private static var assignment: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: 1) }

    private static func context(of call: OpaquePointer?) -> CalculationContext {
        sqlite3_user_data(call) == nil ? .condition : .assignment
    }

    private static func number(_ value: OpaquePointer?) -> StoredValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: .int(sqlite3_value_int64(value))
        case SQLITE_FLOAT: .double(sqlite3_value_double(value))
        default: .null
        }
    }

    private static func give(to context: OpaquePointer?, _ result: () throws -> StoredValue) {
        do {
            switch try result() {
            case .int(let integer): sqlite3_result_int64(context, integer)
            case .double(let double): sqlite3_result_double(context, double)
            default: sqlite3_result_null(context)
            }
        } catch {
            let isDivision = (error as? StoreError)?.message == StoreError.divisionByZero.message
            sqlite3_result_error(context, isDivision ? divisionMessage : overflowMessage, -1)
        }
    }
}
