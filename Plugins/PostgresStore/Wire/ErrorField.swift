internal import CLibPQ

/// The fields of an error or notice, by their letters in the protocol.
///
/// libpq names them by macros (`PG_DIAG_SQLSTATE`) that Swift does not import.
enum ErrorField: Unicode.Scalar {
    case severity = "V"
    case sqlState = "C"
    case message = "M"
    case detail = "D"
    case hint = "H"
    case table = "t"
    case column = "c"
    case constraint = "n"
    case routine = "R"

    /// The text of the field in a result; nil if the server has not sent the field.
    func text(of result: OpaquePointer) -> String? {
        pq_resultErrorField(result, Int32(rawValue.value)).map { String(cString: $0) }
    }
}
