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
