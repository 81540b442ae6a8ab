public import Foundation

// The expressions behind `$0.feedSessions.contains { … }` and `$0.feedSessions.allSatisfy { … }`. `#Predicate` turns
// every method call into a call of a `build_…` function, and overload resolution finds ours by the type of the
// receiver. Foundation's own need a `Sequence`, which a to-many deliberately is not: a loop over one would silently
// find nothing.

extension PredicateExpressions {
    /// Whether any row of a to-many relationship passes a test.
    public struct ToManyContains<Source: PredicateExpression, Test: PredicateExpression, Element: Model>:
        PredicateExpression
    where Source.Output == ToMany<Element>, Test.Output == Bool {
        /// The relationship: a key path from the row that the predicate is about.
        public let source: Source
        /// The variable that stands for a row of the relationship in the test.
        public let variable: Variable<Element>
        /// The test of one row.
        public let test: Test

        /// Always throws, because a to-many has no rows in memory.
        ///
        /// - Throws: `unsupported`.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool { throw StoreError.toManyInMemory }
    }

    /// Whether every row of a to-many relationship passes a test; true if there are no rows.
    public struct ToManyAllSatisfy<Source: PredicateExpression, Test: PredicateExpression, Element: Model>:
        PredicateExpression
    where Source.Output == ToMany<Element>, Test.Output == Bool {
        /// The relationship: a key path from the row that the predicate is about.
        public let source: Source
        /// The variable that stands for a row of the relationship in the test.
        public let variable: Variable<Element>
        /// The test of one row.
        public let test: Test

        /// Always throws, because a to-many has no rows in memory.
        ///
        /// - Throws: `unsupported`.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool { throw StoreError.toManyInMemory }
    }

    /// Called by the expansion of `#Predicate` for `contains(where:)`.
    public static func build_contains<Source, Test, Element>(
        _ source: Source, where builder: (Variable<Element>) -> Test
    ) -> ToManyContains<Source, Test, Element> where Source.Output == ToMany<Element> {
        let variable = Variable<Element>()
        return ToManyContains(source: source, variable: variable, test: builder(variable))
    }

    /// Called by the expansion of `#Predicate` for `allSatisfy(_:)`.
    public static func build_allSatisfy<Source, Test, Element>(
        _ source: Source, _ builder: (Variable<Element>) -> Test
    ) -> ToManyAllSatisfy<Source, Test, Element> where Source.Output == ToMany<Element> {
        let variable = Variable<Element>()
        return ToManyAllSatisfy(source: source, variable: variable, test: builder(variable))
    }
}

extension PredicateExpressions.ToManyContains: Sendable where Source: Sendable, Test: Sendable {}
extension PredicateExpressions.ToManyContains: Codable where Source: Codable, Test: Codable {}
extension PredicateExpressions.ToManyContains: StandardPredicateExpression
where Source: StandardPredicateExpression, Test: StandardPredicateExpression {}

extension PredicateExpressions.ToManyAllSatisfy: Sendable where Source: Sendable, Test: Sendable {}
extension PredicateExpressions.ToManyAllSatisfy: Codable where Source: Codable, Test: Codable {}
extension PredicateExpressions.ToManyAllSatisfy: StandardPredicateExpression
where Source: StandardPredicateExpression, Test: StandardPredicateExpression {}

extension PredicateExpressions.ToManyContains: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let test = try lowering.inside(variable.key, of: Element.self, test)
        return try lowering.lower(source).map { source in
            .condition(.exists(relationship: try source.relationship, test))
        }
    }
}

extension PredicateExpressions.ToManyAllSatisfy: LowerableExpression {
    func lowered(_ lowering: inout Lowering) throws -> Lowered {
        let test = try lowering.inside(variable.key, of: Element.self, test)
        return try lowering.lower(source).map { source in
            .condition(!.exists(relationship: try source.relationship, !test))
        }
    }
}

extension Lowered {
    /// The name of the to-many relationship.
    var relationship: String {
        get throws {
            guard case .toMany(let name) = self else {
                throw StoreError.unsupportedExpression(
                    "A predicate can only use the to-many relationships of its own row and of the rows that its "
                        + "references lead to.")
            }
            return name
        }
    }
}

extension StoreError {
    static var toManyInMemory: StoreError {
        StoreError(
            .unsupported,
            "A to-many relationship has no rows in memory. Fetch its query, or use it in a #Predicate.")
    }
}

extension ToMany {
    /// Whether any row passes a test.
    ///
    /// Use it only in a `#Predicate`, where it needs no `try`.
    ///
    /// To find rows without any, negate it: `!$0.feedSessions.contains { _ in true }`.
    ///
    /// - Throws: `unsupported` if it is called anywhere else.
    public func contains(where test: (Element) throws -> Bool) throws -> Bool {
        throw StoreError.toManyInMemory
    }

    /// Whether every row passes a test.
    ///
    /// Use it only in a `#Predicate`, where it needs no `try`.
    ///
    /// - Throws: `unsupported` if it is called anywhere else.
    public func allSatisfy(_ test: (Element) throws -> Bool) throws -> Bool {
        throw StoreError.toManyInMemory
    }
}
