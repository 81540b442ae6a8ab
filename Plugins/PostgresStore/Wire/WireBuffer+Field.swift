internal import SwitchyardCore

extension WireBuffer {
    /// Appends a field in the format of parameters, array elements and COPY rows: a length of four bytes, −1 for null,
    /// and the value.
    ///
    /// - Throws: `invalidArgument` if the type does not store cells of this kind; `valueNotRepresentable` if the number
    ///   is out of the type's range.
    @inline(__always)
    mutating func appendField(_ cell: Cell, as type: WireType) throws(StoreError) {
        switch (type, cell.kind) {
        case (_, .null):
            append(Int32(-1))
        case (.text, .text), (.bytea, .blob):
            guard let length = Int32(exactly: cell.count) else { throw Self.outOfRange(type) }
            append(length)
            append(cell.bytes)
        case (.uuid, .blob) where cell.count == 16:
            append(Int32(16))
            append(cell.bytes)
        case (.int8, .integer):
            append(Int32(8))
            append(cell.word)
        case (.float8, .double):
            append(Int32(8))
            append(cell.word)
        case (.timestamptz, .integer):
            let (word, overflow) = cell.word.subtractingReportingOverflow(WireEpoch.microseconds)
            guard !overflow else { throw Self.outOfRange(type) }
            append(Int32(8))
            append(word)
        case (.date, .integer):
            let (days, overflow) = cell.word.subtractingReportingOverflow(WireEpoch.days)
            guard !overflow, let days = Int32(exactly: days) else { throw Self.outOfRange(type) }
            append(Int32(4))
            append(days)
        case (.bool, .integer) where cell.word == 0 || cell.word == 1:
            append(Int32(1))
            append(UInt8(truncatingIfNeeded: cell.word))
        case (.numeric, .text):
            try appendNumericField(cell)
        default:
            throw StoreError(
                .invalidArgument, "A value of kind \(cell.kind) cannot be sent as PostgreSQL's \(type).")
        }
    }

    private mutating func appendNumericField(_ cell: Cell) throws(StoreError) {
        let start = count
        append(Int32(0))
        guard WireNumeric.append(cell.bytes, to: &self) else {
            truncate(to: start)
            throw StoreError(
                .valueNotRepresentable, "A decimal may only hold a minus sign, digits and one decimal point.")
        }
        replace(Int32(count - start - 4), at: start)
    }

    @inline(never)
    private static func outOfRange(_ type: WireType) -> StoreError {
        StoreError(.valueNotRepresentable, "A value is outside the range of PostgreSQL's \(type).")
    }
}
