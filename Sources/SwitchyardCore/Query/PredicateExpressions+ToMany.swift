public import Foundation

// What `#Predicate` makes of `$0.feedSessions.contains { … }` and `$0.feedSessions.allSatisfy { … }`: the
// macro turns every method call into a call of a `build_…` function, and finds ours by the type of the
// receiver. Foundation's own need a `Sequence`, and a to-many is none on purpose: a loop over one would find
// nothing, without a word.

extension PredicateExpressions {
    /// Whether a row of a to-many relationship fulfils a test.
    public struct ToManyContains<Source: PredicateExpression, Test: PredicateExpression, Element: Model>:
        PredicateExpression
    where Source.Output == ToMany<Element>, Test.Output == Bool {
        /// The relationship: a key path from the row that the predicate is about.
        public let source: Source
        /// What stands for a row of the relationship in the test.
        public let variable: Variable<Element>
        /// The test of one row.
        public let test: Test

        /// A to-many has no rows in memory.
        ///
        /// - Throws: `unsupported`, always.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool { throw StoreError.toManyInMemory }
    }

    /// Whether every row of a to-many relationship fulfils a test; true if there is none.
    public struct ToManyAllSatisfy<Source: PredicateExpression, Test: PredicateExpression, Element: Model>:
        PredicateExpression
    where Source.Output == ToMany<Element>, Test.Output == Bool {
        /// The relationship: a key path from the row that the predicate is about.
        public let source: Source
        /// What stands for a row of the relationship in the test.
        public let variable: Variable<Element>
        /// The test of one row.
        public let test: Test

        /// A to-many has no rows in memory.
        ///
        /// - Throws: `unsupported`, always.
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
    /// The name of the to-many relationship that this is.
    var relationship: String {
        get throws {
            guard case .toMany(let name) = self else {
                throw StoreError.unsupportedExpression(
                    "A to-many relationship can be asked about for the row that the predicate is about, and for those "
                        + "that its references point at.")
            }
            return name
        }
    }
}

extension StoreError {
    static var toManyInMemory: StoreError {
        StoreError(
            .unsupported,
            "A to-many relationship has no rows in memory. Fetch its query, or ask about it in a #Predicate.")
    }
}

extension ToMany {
    /// Whether a row fulfils a test, in a `#Predicate` only, where it needs no `try`.
    ///
    /// For rows that point nowhere else, ask for the opposite: `!$0.feedSessions.contains { _ in true }`.
    ///
    /// - Throws: `unsupported`, if it is called anywhere else.
    public func contains(where test: (Element) throws -> Bool) throws -> Bool {
        throw StoreError.toManyInMemory
    }

    /// Whether every row fulfils a test, in a `#Predicate` only, where it needs no `try`.
    ///
    /// - Throws: `unsupported`, if it is called anywhere else.
    public func allSatisfy(_ test: (Element) throws -> Bool) throws -> Bool {
        throw StoreError.toManyInMemory
    }
}
