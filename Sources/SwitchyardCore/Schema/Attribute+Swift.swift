/// What `@Model` writes for each stored property: the overload that fits the property's type is chosen by the
/// compiler, so that the macro need not know types that it can only see as names.
extension Attribute {
    /// An attribute of a type that Switchyard knows.
    public static func of<Value: AttributeValue>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        isSearchable: Bool = false
    ) -> Attribute {
        Attribute(
            name, column: column, type: Value.attributeType, isOptional: Value.isOptional,
            defaultValue: constant(value), isSearchable: isSearchable)
    }

    /// An enum with a raw value: its cases become the column's check.
    public static func of<Value: RawRepresentable & CaseIterable>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil
    ) -> Attribute where Value.RawValue: AttributeValue {
        enumeration(name, Value.self, column: column, isOptional: false, default: value)
    }

    /// An optional enum with a raw value.
    public static func of<Value: RawRepresentable & CaseIterable>(
        _ name: String, _: Value?.Type, column: String? = nil, default value: Value? = nil
    ) -> Attribute where Value.RawValue: AttributeValue {
        enumeration(name, Value.self, column: column, isOptional: true, default: value)
    }

    /// A Codable value, stored as canonical JSON.
    @_disfavoredOverload
    public static func of<Value: Codable>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil
    ) -> Attribute {
        Attribute(name, column: column, type: .json, defaultValue: json(value))
    }

    /// An optional Codable value, stored as canonical JSON.
    @_disfavoredOverload
    public static func of<Value: Codable>(
        _ name: String, _: Value?.Type, column: String? = nil, default value: Value? = nil
    ) -> Attribute {
        Attribute(name, column: column, type: .json, isOptional: true, defaultValue: json(value))
    }

    /// A to-one relationship.
    public static func reference<Target: Model>(
        _ name: String, to _: Target.Type, column: String? = nil, isOptional: Bool
    ) -> Attribute {
        Attribute(
            name, column: column, type: .uuid, isOptional: isOptional, reference: Target.entityName)
    }

    private static func enumeration<Value: RawRepresentable & CaseIterable>(
        _ name: String, _: Value.Type, column: String?, isOptional: Bool, default value: Value?
    ) -> Attribute where Value.RawValue: AttributeValue {
        Attribute(
            name, column: column, type: Value.RawValue.attributeType, isOptional: isOptional,
            defaultValue: constant(value?.rawValue),
            cases: Value.allCases.compactMap { constant($0.rawValue) })
    }

    /// A default that cannot be stored is left out here and refused when a row takes it.
    private static func constant(_ value: (some AttributeValue)?) -> StoredValue? {
        guard let stored = try? value?.storedValue(), !stored.isNull else { return nil }
        return stored
    }

    private static func json(_ value: (some Encodable)?) -> StoredValue? {
        guard let value, let text = try? CanonicalJSON.text(value) else { return nil }
        return .json(text)
    }
}
