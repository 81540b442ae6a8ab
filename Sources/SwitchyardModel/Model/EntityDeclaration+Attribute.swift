extension EntityDeclaration {
    /// An attribute of a type that Switchyard supports directly.
    ///
    /// `choice` is a default written as a member, such as `Date.now`. It is not evaluated here, because only the cases
    /// of enums are certain to be constants.
    public func attribute<Value: AttributeValue>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Attribute {
        Attribute(
            name, column: column, type: Value.attributeType, isOptional: Value.isOptional,
            defaultValue: .constant(value), domain: Value.numberDomain)
    }

    /// Text that is searched regardless of case and diacritics.
    public func attribute(
        _ name: String, searchable _: String.Type, column: String? = nil, default value: String? = nil,
        case choice: @autoclosure () -> String? = nil
    ) -> Attribute {
        Attribute(name, column: column, type: .text, defaultValue: .constant(value), isSearchable: true)
    }

    /// Optional text that is searched regardless of case and diacritics.
    public func attribute(
        _ name: String, searchable _: String?.Type, column: String? = nil, default value: String? = nil,
        case choice: @autoclosure () -> String? = nil
    ) -> Attribute {
        Attribute(
            name, column: column, type: .text, isOptional: true, defaultValue: .constant(value),
            isSearchable: true)
    }

    /// An enum with a raw value: its cases become the column's check.
    public func attribute<Value: RawRepresentable & CaseIterable>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: Value? = nil
    ) -> Attribute where Value.RawValue: AttributeValue {
        enumeration(name, Value.self, column: column, isOptional: false, default: value ?? choice)
    }

    /// An optional enum with a raw value.
    public func attribute<Value: RawRepresentable & CaseIterable>(
        _ name: String, _: Value?.Type, column: String? = nil, default value: Value? = nil,
        case choice: Value? = nil
    ) -> Attribute where Value.RawValue: AttributeValue {
        enumeration(name, Value.self, column: column, isOptional: true, default: value ?? choice)
    }

    /// A Codable value or an optional of one, stored as canonical JSON.
    @_disfavoredOverload
    public func attribute<Value: Codable>(
        _ name: String, _: Value.Type, column: String? = nil, default value: Value? = nil,
        case choice: @autoclosure () -> Value? = nil
    ) -> Attribute {
        Attribute(
            name, column: column, type: .json, isOptional: Value.self is any OptionalValue.Type,
            defaultValue: .json(of: value))
    }

    /// A dictionary whose keys are those of a JSON object, which sorts them.
    public func attribute<Key: CodingKeyRepresentable & Codable, Element: Codable>(
        _ name: String, _: [Key: Element].Type, column: String? = nil, default value: [Key: Element]? = nil,
        case choice: @autoclosure () -> [Key: Element]? = nil
    ) -> Attribute {
        Attribute(name, column: column, type: .json, defaultValue: .json(of: value))
    }

    /// An optional dictionary whose keys are those of a JSON object.
    public func attribute<Key: CodingKeyRepresentable & Codable, Element: Codable>(
        _ name: String, _: [Key: Element]?.Type, column: String? = nil, default value: [Key: Element]? = nil,
        case choice: @autoclosure () -> [Key: Element]? = nil
    ) -> Attribute {
        Attribute(name, column: column, type: .json, isOptional: true, defaultValue: .json(of: value))
    }

    /// A required to-one relationship.
    ///
    /// A default written as a member, such as `.unassigned`, only applies in the initializer: the row that it refers to
    /// belongs to the data, not to the schema.
    public func attribute<Target: Model>(
        _ name: String, _: Identifier<Target>.Type, column: String? = nil,
        case choice: @autoclosure () -> Identifier<Target>? = nil
    ) -> Attribute where Target.ModelVersion == Owner.ModelVersion {
        reference(name, to: Target.self, column: column, isOptional: false)
    }

    /// An optional to-one relationship.
    public func attribute<Target: Model>(
        _ name: String, _: Identifier<Target>?.Type, column: String? = nil,
        case choice: @autoclosure () -> Identifier<Target>? = nil
    ) -> Attribute where Target.ModelVersion == Owner.ModelVersion {
        reference(name, to: Target.self, column: column, isOptional: true)
    }

    private func enumeration<Value: RawRepresentable & CaseIterable>(
        _ name: String, _: Value.Type, column: String?, isOptional: Bool, default value: Value?
    ) -> Attribute where Value.RawValue: AttributeValue {
        Attribute(
            name, column: column, type: Value.RawValue.attributeType, isOptional: isOptional,
            defaultValue: .constant(value?.rawValue),
            cases: Value.allCases.compactMap { .constant($0.rawValue) })
    }

    /// A reference, or a plain attribute if it is the entity's own id.
    ///
    /// It only uses the other entity's name, so that two models can refer to each other.
    private func reference<Target: Model>(
        _ name: String, to _: Target.Type, column: String?, isOptional: Bool
    ) -> Attribute {
        Attribute(
            name, column: column, type: .uuid, isOptional: isOptional,
            reference: name == "id" ? nil : Target.entityName)
    }
}

extension StoredValue {
    /// The stored form of a default.
    ///
    /// A default that cannot be stored is left out here and refused when a row uses it.
    fileprivate static func constant(_ value: (some AttributeValue)?) -> StoredValue? {
        guard let stored = try? value?.storedValue(), !stored.isNull else { return nil }
        return stored
    }

    fileprivate static func json(of value: (some Encodable)?) -> StoredValue? {
        guard let value, let text = try? CanonicalJSON.text(value) else { return nil }
        return .json(text)
    }
}
