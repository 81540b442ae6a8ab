public import Foundation

// Conditions that look right but that no `#Predicate` can express. The compiler shows these messages instead of its
// own, which would not help.

extension PredicateExpressions {
    /// Unavailable, because the macro takes a list apart if one of its elements is more than a name or a literal.
    @available(
        *, unavailable,
        message:
            "declare the list before the predicate, as in 'let ids = [film.id]', and ask 'ids.contains(…)'"
    )
    public static func build_contains(_: [Any], _: some PredicateExpression) -> Value<Bool> {
        Value(false)
    }
}

// A second available function would double what the compiler tries for each comparison of each predicate.

extension PredicateExpressions {
    /// Unavailable: Foundation compares values of one type, and does not make a key path's optional.
    @available(
        *, unavailable,
        message: """
            an optional attribute is compared with a value, and not with the attribute of something captured: declare the \
            value before the predicate, as in 'let id = list.id', and ask '$0.list == id'
            """
    )
    public static func build_Equal<Root, Owner, Property>(
        lhs: KeyPath<Root, Property?>, rhs: KeyPath<Value<Owner>, Property>
    ) -> Value<Bool> { Value(false) }

    /// Unavailable: Foundation compares values of one type, and does not make a key path's optional.
    @available(
        *, unavailable,
        message: """
            an optional attribute is compared with a value, and not with the attribute of something captured: declare the \
            value before the predicate, as in 'let id = list.id', and ask '$0.list == id'
            """
    )
    public static func build_Equal<Root, Owner, Property>(
        lhs: KeyPath<Value<Owner>, Property>, rhs: KeyPath<Root, Property?>
    ) -> Value<Bool> { Value(false) }

    /// Unavailable: Foundation compares values of one type, and does not make a key path's optional.
    @available(
        *, unavailable,
        message: """
            an optional attribute is compared with a value, and not with the attribute of something captured: declare the \
            value before the predicate, as in 'let id = list.id', and ask '$0.list == id'
            """
    )
    public static func build_NotEqual<Root, Owner, Property>(
        lhs: KeyPath<Root, Property?>, rhs: KeyPath<Value<Owner>, Property>
    ) -> Value<Bool> { Value(false) }

    /// Unavailable: Foundation compares values of one type, and does not make a key path's optional.
    @available(
        *, unavailable,
        message: """
            an optional attribute is compared with a value, and not with the attribute of something captured: declare the \
            value before the predicate, as in 'let id = list.id', and ask '$0.list == id'
            """
    )
    public static func build_NotEqual<Root, Owner, Property>(
        lhs: KeyPath<Value<Owner>, Property>, rhs: KeyPath<Root, Property?>
    ) -> Value<Bool> { Value(false) }
}

extension Sequence {
    /// Unavailable: the compiler says what to write instead.
    @available(
        *, unavailable,
        message: """
            a raw value is no case of an enum: compare raw values, as in '["G"].contains($0.rating.rawValue)', or declare a \
            list of cases before the predicate, as in 'let ratings = [Rating.general]'
            """
    )
    @_disfavoredOverload
    public func contains<Choice: RawRepresentable>(_: Choice) -> Bool where Choice.RawValue == Element {
        false
    }

    /// Unavailable: the compiler says what to write instead.
    @available(
        *, unavailable,
        message: """
            a raw value is no case of an enum: compare raw values, as in '["G"].contains($0.rating!.rawValue)', or declare \
            a list of cases before the predicate, as in 'let ratings = [Rating.general]'; '!' is false for nil
            """
    )
    @_disfavoredOverload
    public func contains<Choice: RawRepresentable>(_: Choice?) -> Bool where Choice.RawValue == Element {
        false
    }
}
