extension RowReader {
    /// Reads an enum by its raw value.
    ///
    /// - Throws: `corrupted`, naming the attribute and the row, if no case has the raw value; `detail` has the value.
    @inlinable
    public mutating func read<Value: RawRepresentable>(_: Value.Type = Value.self) throws -> Value
    where Value.RawValue: AttributeValue {
        let raw = try Value.RawValue(from: &self)
        guard let value = Value(rawValue: raw) else { throw unknownCase(raw, of: Value.self) }
        return value
    }

    /// Reads an optional enum by its raw value.
    @inlinable
    public mutating func read<Value: RawRepresentable>(_: Value?.Type = Value?.self) throws -> Value?
    where Value.RawValue: AttributeValue {
        try isNull() ? nil : read(Value.self)
    }

    @usableFromInline
    func unknownCase(_ raw: some AttributeValue, of type: Any.Type) -> StoreError {
        context.unfit(column: position - 1, type, found: "raw value \(raw)", first: cells[0])
    }
}

extension RowWriter {
    /// Writes an enum as its raw value.
    @inlinable
    public mutating func write<Value: RawRepresentable>(_ value: Value) throws
    where Value.RawValue: AttributeValue {
        try value.rawValue.write(into: &self)
    }

    /// Writes an optional enum as its raw value.
    @inlinable
    public mutating func write<Value: RawRepresentable>(_ value: Value?) throws
    where Value.RawValue: AttributeValue {
        if let value { try value.rawValue.write(into: &self) } else { writeNull() }
    }
}
