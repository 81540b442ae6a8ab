package import Switchyard
internal import SwitchyardCore

/// Requirement Q9 for conditions at their maximum depth, and one level beyond.
package enum DepthChecks {
    // The store holds 20 specimens numbered from 0.
    package static func verify(_ contract: Contract, _ store: any Store) async throws {
        try await lists(contract, store)
        try await calculations(contract, store)
        try await relationships(contract, store)
    }

    private static func whole(_ comparison: Comparison, _ value: Int) -> Condition {
        .compare(.attribute("whole"), comparison, .value(.int(Int64(value))))
    }

    private static func check(
        _ contract: Contract, _ store: any Store, _ what: String, _ depths: ClosedRange<Int>, expected: Int,
        _ make: (Int) -> Condition
    ) async throws {
        let deepest = make(depths.lowerBound)
        try contract.expectEqual(
            try await store.read { try $0.countRows(of: "Specimen", where: deepest) }, expected,
            "rows for \(what), \(depths.lowerBound) deep")
        try contract.expectEqual(
            try await store.read { try $0.countRows(of: "Specimen", where: .not(deepest)) }, 20 - expected,
            "rows for the opposite of \(what)")
        let tooDeep = make(depths.upperBound)
        try await contract.expectError(.unsupported, "\(what), \(depths.upperBound) deep") {
            try await store.read { try $0.countRows(of: "Specimen", where: tooDeep) }
        }
    }

    /// Alternating lists of terms, 197 deep: together with the comparison, its operand and the negation, that
    /// makes 200.
    private static func lists(_ contract: Contract, _ store: any Store) async throws {
        // Initially 1 is included; then every even number is added, and every odd one is excluded.
        func nested(_ depth: Int, isFirst: Bool) -> Condition {
            (0..<depth).reduce(whole(.equal, 1)) { inner, level in
                let term = level.isMultiple(of: 2) ? whole(.equal, level % 20) : whole(.notEqual, level % 20)
                let terms = isFirst ? [inner, term] : [term, inner]
                return level.isMultiple(of: 2) ? .any(terms) : .all(terms)
            }
        }
        for isFirst in [true, false] {
            try await check(
                contract, store, "lists of terms in turn", 197...199,
                expected: 10
            ) { nested($0, isFirst: isFirst) }
        }
        // Every list contains two lists, seven deep.
        func branching(_ depth: Int, _ number: Int) -> Condition {
            guard depth > 0 else { return whole(.equal, number) }
            let terms = [branching(depth - 1, number), branching(depth - 1, number + 1)]
            return depth.isMultiple(of: 2) ? .any(terms) : .all([.any(terms), .not(.all(terms))])
        }
        let branches = branching(7, 0)
        try contract.expectEqual(
            try await store.read { try $0.countRows(of: "Specimen", where: branches) },
            try await count(store) { try holds(branches, $0) }, "rows for lists with two lists inside each")
    }

    /// The number of rows for which a condition on `whole`, written in Swift, is true.
    private static func count(_ store: any Store, _ holds: (Int) throws -> Bool) async throws -> Int {
        let numbers = try await store.read { try $0.fetch(Specimen.all).map(\.whole) }
        return try numbers.count { try holds($0) }
    }

    /// Evaluates a condition of comparisons with `whole` and lists of them.
    private static func holds(_ condition: Condition, _ number: Int) throws -> Bool {
        switch condition {
        case .all(let terms): try terms.allSatisfy { try holds($0, number) }
        case .any(let terms): try terms.contains { try holds($0, number) }
        case .not(let inner): try !holds(inner, number)
        default: condition == whole(.equal, number)
        }
    }

    private static func calculations(_ contract: Contract, _ store: any Store) async throws {
        func sum(_ depth: Int, _ nested: (Operand, Operand) -> Operand) -> Operand {
            (0..<depth).reduce(.attribute("whole")) { inner, _ in nested(inner, .value(.int(1))) }
        }
        try await check(contract, store, "sums to the left", 12...13, expected: 5) { depth in
            .compare(sum(depth) { .arithmetic($0, .add, $1) }, .less, .value(.int(17)))
        }
        try await check(contract, store, "sums to the right", 12...13, expected: 5) { depth in
            .compare(sum(depth) { .arithmetic($1, .add, $0) }, .less, .value(.int(17)))
        }
        try await check(contract, store, "choices", 6...7, expected: 6) { depth in
            let chosen = (0..<depth).reduce(Operand.value(.int(-1))) { inner, level in
                .conditional(whole(.equal, level), .attribute("whole"), inner)
            }
            return .compare(chosen, .greaterOrEqual, .value(.int(0)))
        }
        // With the comparison, the sum's operand and the `not` of the opposite that makes 200.
        try await check(contract, store, "sums in lists of terms", 185...187, expected: 10) { depth in
            let isLess = Condition.compare(
                sum(12) { .arithmetic($0, .add, $1) }, .less, .value(.int(17)))
            return (0..<depth).reduce(isLess) { inner, level in
                level.isMultiple(of: 2)
                    ? .any([inner, whole(.equal, level % 20)]) : .all([inner, whole(.notEqual, level % 20)])
            }
        }
    }

    /// Four generations of a tree.
    private static func relationships(_ contract: Contract, _ store: any Store) async throws {
        @Sendable func descendants(_ generations: Int) -> Condition {
            (0..<generations).reduce(.constant(true)) { inner, _ in
                .exists(relationship: "children", inner)
            }
        }
        try await store.write { tx in
            var parent: TreeNode.ID?
            for _ in 0..<6 { parent = try tx.insert(TreeNode(parent: parent)).id }
        }
        try contract.expectEqual(
            try await store.read { try $0.countRows(of: "TreeNode", where: descendants(4)) }, 2,
            "rows with four generations below them")
        try contract.expectEqual(
            try await store.read { try $0.countRows(of: "TreeNode", where: .not(descendants(4))) }, 4,
            "rows without four generations below them")
        // What leads over more relationships than a statement does is found by several.
        for (condition, expected) in [
            (descendants(5), 1), (.not(descendants(5)), 5), (descendants(6), 0),
            (.any([descendants(5), descendants(3)]), 3),
        ] {
            try contract.expectEqual(
                try await store.read { try $0.countRows(of: "TreeNode", where: condition) }, expected,
                "rows by five and more generations below them")
        }
    }
}
