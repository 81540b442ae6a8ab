/// Returns the values of a row one by one, as their Swift types.
struct AggregateRow {
    /// Throws the error of a value that does not have the expected type, given its column, the type, and a test of
    /// values.
    typealias Refusal = (_ column: Int, Any.Type, _ fits: (StoredValue) -> Bool) throws -> Never

    private var values: ArraySlice<StoredValue>
    private let refuse: Refusal

    init(values: [StoredValue], orRefuse refuse: @escaping Refusal) {
        self.values = values[...]
        self.refuse = refuse
    }

    mutating func next<Value>(_: Value.Type) throws -> Value {
        let column = values.startIndex
        guard let value = values.popFirst()?.value(as: Value.self) else {
            try refuse(column, Value.self) { $0.value(as: Value.self) != nil }
        }
        return value
    }
}
