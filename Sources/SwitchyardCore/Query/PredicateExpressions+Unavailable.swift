public import Foundation

// Conditions that look right and that no `#Predicate` can express: the compiler shows the messages where it
// would say nothing of use.

extension PredicateExpressions {
    /// Does not compile, and says why: the macro takes a list apart if one of its elements is more than a
    /// name or a literal.
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
    /// Does not compile, and says why.
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

    /// Does not compile, and says why.
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
