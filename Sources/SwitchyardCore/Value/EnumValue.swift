extension RowReader {
    /// Reads an enum by its raw value.
    ///
    /// - Throws: `corrupted`, naming the raw value's attribute, if no case has it.
    @inlinable
    public mutating func read<Value: RawRepresentable>(_: Value.Type = Value.self) throws -> Value
    where Value.RawValue: AttributeValue {
        let raw = try Value.RawValue(from: &self)
        guard let value = Value(rawValue: raw) else { throw unknownCase(raw) }
        return value
    }

    /// Reads an optional enum by its raw value.
    @inlinable
    public mutating func read<Value: RawRepresentable>(_: Value?.Type = Value?.self) throws -> Value?
    where Value.RawValue: AttributeValue {
        try isNull() ? nil : read(Value.self)
    }

    @usableFromInline
    func unknownCase(_ raw: some AttributeValue) -> StoreError {
        let column = position - 1
        return StoreError(
            .corrupted,
            "The store holds a raw value that is no case of the enum; a newer version of the app may have added it.",
            entity: context.entity,
            attribute: context.attributes.indices.contains(column) ? context.attributes[column] : nil,
            detail: "raw value \(raw)")
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
