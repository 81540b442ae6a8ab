internal import GRDBSQLite
internal import SwitchyardCore

/// The calculations of conditions as SQL functions: SQLite's own operators go over to doubles when an integer
/// overflows, and give NULL for a division by zero.
enum ArithmeticFunctions {
    /// What the message of an overflow is in SQLite, by which it is known again.
    static let overflowMessage = "switchyard: overflow"
    /// What the message of a division by zero is in SQLite.
    static let divisionMessage = "switchyard: division by zero"

    static func register(on connection: OpaquePointer) -> CInt {
        var code = SQLITE_OK
        func add(
            _ name: String, _ count: CInt,
            _ function:
                @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void
        ) {
            guard code == SQLITE_OK else { return }
            code = sqlite3_create_function_v2(
                connection, "switchyard_" + name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function,
                nil,
                nil, nil)
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
                try ArithmeticFunctions.number(arguments?[0]).negated()
            }
        }
        return code
    }

    private static func calculate(
        _ symbol: ArithmeticOperator, _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        give(to: context) { try symbol.result(number(arguments?[0]), number(arguments?[1])) }
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
