internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements Q+include and Q+over: what a fetch adds to the rows of its query, and rows sorted by what their references
/// lead to.
enum IncludeRequirements {
    static let all: [Requirement] =
        included + [
            Requirement("Q+over", "rows sort by an attribute of the row that a reference points to") {
                contract in
                let store = try await RelatedRequirements.sightings(contract)
                func numbers(_ query: Query<Sighting>) async throws -> [Int] {
                    try await store.read { try $0.fetch(query, \.number) }
                }
                let byText = Sighting.sorted(by: \.specimen, \.text).sorted(by: \.number, .descending)
                try contract.expectEqual(try await numbers(byText), [3, 1, 2, 4], "ascending")
                let backwards = Sighting.sorted(by: \.specimen, \.text, .descending).sorted(by: \.number)
                try contract.expectEqual(try await numbers(backwards), [4, 2, 1, 3], "descending")
                let byPrevious = Sighting.sorted(by: \.previous, \.number)
                try contract.expectEqual(try await numbers(byPrevious), [1, 2, 3, 4], "a nil first")
                let last = Sighting.sorted(by: \.previous, \.number, .descending)
                try contract.expectEqual(try await numbers(last), [4, 3, 2, 1], "a nil last")
                try contract.expectEqual(
                    try await numbers(backwards.offset(1).limit(2)), [2, 1], "a limit and an offset")
                for (query, expected, name) in [
                    (byText, [3, 1, 2, 4], "ascending"), (backwards, [4, 2, 1, 3], "descending"),
                    (byPrevious, [1, 2, 3, 4], "from nil"), (last, [4, 3, 2, 1], "to nil"),
                ] {
                    let paged = try await store.read { tx in
                        var (cursor, numbers): (PageCursor?, [Int]) = (nil, [])
                        repeat {
                            let page = try tx.page(query, size: 1, after: cursor, including: .one(\.previous))
                            numbers += page.items.map(\.0.number)
                            cursor = page.next
                        } while cursor != nil
                        return numbers
                    }
                    try contract.expectEqual(paged, expected, "pages of one row, \(name)")
                }
                let deleted = try await store.write { try $0.delete(last.limit(1)) }
                try contract.expectEqual(deleted, 1, "the number of rows that a limited delete deletes")
                try contract.expectEqual(try await numbers(last), [3, 2, 1], "the rows that are left")
            }
        ]

    private static let included: [Requirement] = [
        Requirement("Q+include", "a reference brings its row, and nil where it is nil") { contract in
            let store = try await RelatedRequirements.sightings(contract)
            let query = Sighting.sorted(by: \.number)
            let found = try await store.read { try $0.fetch(query, including: .one(\.previous)) }
            try contract.expectEqual(found.map(\.0.number), [1, 2, 3, 4], "the rows, in order")
            try contract.expectEqual(found.map { $0.1?.number }, [nil, 1, 2, 3], "the rows before them")
            let texts = try await store.read { try $0.fetch(query, including: .one(\.specimen)) }
            try contract.expectEqual(
                texts.map(\.1.text), ["lynx", "otter", "lynx", "wolf"], "rows that several refer to")
            let followers = try await store.read {
                try $0.fetch(query.limit(2), including: .required(\.previous))
            }
            try contract.expectEqual(followers.map(\.0.number), [2, 3], "rows with one before them")
            try contract.expectEqual(followers.map(\.1.number), [1, 2], "the required rows")
            let steps = try await store.read {
                try $0.fetch(
                    query, including: .one(\.previous, including: .one(\.previous), .one(\.specimen)))
            }
            try contract.expectEqual(
                steps.map { $0.1?.1?.number }, [nil, nil, 1, 2], "the rows two steps away")
            try contract.expectEqual(
                steps.map { $0.1?.2.text }, [nil, "lynx", "otter", "lynx"], "the specimens one step away")
            let required = try await store.read {
                try $0.fetch(query, including: .one(\.previous, including: .required(\.previous)))
            }
            try contract.expectEqual(
                required.map { $0.1?.1.number }, [nil, nil, 1, 2], "required rows two steps away")
        },
        Requirement("Q+each", "a to-many brings the rows of each row, as they are asked for") { contract in
            let store = try await families(contract)
            let parents = Parent.sorted(by: \.name)
            func sizes(
                _ refine: @escaping @Sendable (Query<CascadeChild>) -> Query<CascadeChild>
            ) async throws -> [[Int]] {
                try await store.read { tx in
                    try tx.fetch(parents, including: .all(\.cascading, refine)).map { $0.1.map(\.size) }
                }
            }
            try contract.expectEqual(
                try await sizes { $0.sorted(by: \.size) }, [[1, 2, 3, 4], [], [2, 7]], "the rows in order")
            try contract.expectEqual(
                try await sizes { $0.where(#Predicate { $0.size % 2 == 0 }).sorted(by: \.size, .descending) },
                [[4, 2], [], [2]], "the rows of a condition")
            try contract.expectEqual(
                try await sizes { $0.sorted(by: \.size, .descending).limit(3) }, [[4, 3, 2], [], [7, 2]],
                "the first rows of each")
            try contract.expectEqual(
                try await sizes { $0.sorted(by: \.size).offset(1).limit(2) }, [[2, 3], [], [7]],
                "rows after the first of each")
            try contract.expectEqual(try await sizes { $0.limit(0) }, [[], [], []], "no rows")
            let first = try await store.read { tx in
                try tx.fetch(
                    parents, including: .first(\.cascading) { $0.sorted(by: \.size, .descending) },
                    .all(\.nullifying))
            }
            try contract.expectEqual(first.map { $0.1?.size }, [4, nil, 7], "the first row of each")
            try contract.expectEqual(
                first.map(\.2.count), [0, 1, 0], "the rows of another relationship beside them")
            let none = try await store.read { tx in
                try tx.fetch(
                    Parent.where(#Predicate { $0.name == "nobody" }), including: .all(\.cascading),
                    .count(\.cascading))
            }
            try contract.expectEqual(none.count, 0, "the rows of a query without any")
        },
        Requirement("Q+include", "figures of a to-many are those of each row's own rows") { contract in
            let store = try await families(contract)
            let parents = Parent.sorted(by: \.name)
            let found = try await store.read { tx in
                try tx.fetch(
                    parents, including: .count(\.cascading), .figure(\.cascading, .sum(\.size)),
                    .figure(\.cascading, .maximum(\.size)), .figure(\.cascading, .average(\.size)),
                    .count(\.cascading) { $0.where(#Predicate { $0.size > 2 }) })
            }
            try contract.expectEqual(found.map(\.1), [4, 0, 2], "the numbers of rows")
            try contract.expectEqual(found.map(\.2), [10, 0, 9], "the sums")
            try contract.expectEqual(found.map(\.3), [4, nil, 7], "the greatest values")
            try contract.expectEqual(found.map(\.4), [2.5, nil, 4.5], "the averages")
            try contract.expectEqual(found.map(\.5), [2, 0, 1], "the numbers of rows of a condition")
            try await contract.expectError(.invalidArgument, "a figure of a limited number of rows") {
                _ = try await store.read { tx in
                    try tx.fetch(parents, including: .count(\.cascading) { $0.limit(2) })
                }
            }
        },
        Requirement("Q+include", "rows that are brought bring rows themselves") { contract in
            let store = try await contract.makeStore()
            let root = TreeNode()
            let children = [TreeNode(parent: root.id), TreeNode(parent: root.id)]
            let grandchildren = children.map { TreeNode(parent: $0.id) } + [TreeNode(parent: children[0].id)]
            try await store.write { tx in
                try tx.insert(root)
                try tx.insert(contentsOf: children)
                try tx.insert(contentsOf: grandchildren)
            }
            let query = TreeNode.where(#Predicate { $0.parent == nil })
            let trees = try await store.read { tx in
                try tx.fetch(
                    query,
                    including: .all(\.children, including: .all(\.children), .count(\.children)))
            }
            try contract.expectEqual(trees.map(\.0.id), [root.id], "the root")
            let inner = trees[0].1
            try contract.expectEqual(
                Dictionary(uniqueKeysWithValues: inner.map { ($0.0.id, Set($0.1.map(\.id))) }),
                [
                    children[0].id: [grandchildren[0].id, grandchildren[2].id],
                    children[1].id: [grandchildren[1].id],
                ], "the grandchildren of each child")
            try contract.expectEqual(inner.map(\.2).sorted(), [1, 2], "the numbers of grandchildren")
        },
        Requirement("Q+include", "a write sees in what it includes what it has written") { contract in
            let store = try await families(contract)
            let counts = try await store.write { tx in
                let parents = Parent.sorted(by: \.name)
                guard let first = try tx.first(parents) else { return [Int]() }
                try tx.insert(CascadeChild(parent: first.id, size: 9))
                return try tx.fetch(parents, including: .count(\.cascading)).map(\.1)
            }
            try contract.expectEqual(counts, [5, 0, 2], "the numbers of rows")
        },
    ]

    /// Three parents: with four children, with one child of another kind, and with two.
    private static func families(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        let parents = ["anna", "ben", "cleo"].map { Parent(name: $0) }
        try await store.write { tx in
            try tx.insert(contentsOf: parents)
            for size in [3, 1, 4, 2] { try tx.insert(CascadeChild(parent: parents[0].id, size: size)) }
            for size in [7, 2] { try tx.insert(CascadeChild(parent: parents[2].id, size: size)) }
            try tx.insert(CascadeChild(size: 5))
            try tx.insert(NullifyChild(parent: parents[1].id))
        }
        return store
    }
}
