internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Reads of several scopes.
enum SeveralScopes {
    static func verify(_ contract: Contract) async throws {
        let (store, home, away) = try await ScopeRequirements.make(contract)
        let scopes = [home, away].sorted()
        let names = [scopes[0]: "a", scopes[1]: "b"]
        let ids = (0..<3).map { _ in Ticket.ID() }.sorted()
        // Only the second scope has the third id. Counts produce ties within a scope and between the two.
        let counts = ["a": [1, 2], "b": [1, 0, 2]]
        for scope in scopes {
            try await store.write(WriteOptions(scope: scope)) { tx in
                for (index, count) in (counts[names[scope] ?? ""] ?? []).enumerated() {
                    try tx.insert(
                        Ticket(id: ids[index], number: index, gate: names[scope] ?? "", count: count))
                }
            }
        }
        @Sendable func rows(_ found: [Scoped<Ticket>]) throws -> [String] {
            for row in found {
                try contract.expectEqual(
                    names[row.scope], row.element.gate,
                    "the scope that is told of a row of \(row.element.gate)")
            }
            return found.map { "\($0.element.gate)\($0.element.number)" }
        }
        let both = ReadOptions(scopes: [scopes[1], scopes[0], scopes[1]])
        try await store.read(both) { tx in
            try contract.expectEqual(tx.scopes, scopes, "the scopes of a read, each once and in order")
            try contract.expectEqual(
                try rows(try tx.fetchScoped(Ticket.all)), ["a0", "b0", "a1", "b1", "b2"], "the rows by id")
            try contract.expectEqual(try tx.fetch(Ticket.all).count, 5, "the rows without their scopes")
            try contract.expectEqual(try tx.count(Ticket.all), 5, "the number of rows")
            try contract.expectEqual(try tx.aggregate(Ticket.all, .sum(\.count)), 6, "the sum over the rows")
            try contract.expectEqual(
                try tx.aggregate(Ticket.all, by: .attribute(\.count), figures: .count).map {
                    [$0.key, $0.figures]
                },
                [[0, 1], [1, 2], [2, 2]], "the groups over the rows")
            for (id, gate) in [(ids[0], "a"), (ids[2], "b")] {
                try contract.expectEqual(
                    try tx.find(id)?.gate, gate, "the row of an id, that of the first scope that has it")
            }
        }
        let orders: [(String, Query<Ticket>, [String])] = [
            ("by id", Ticket.all, ["a0", "b0", "a1", "b1", "b2"]),
            ("by count", Ticket.sorted(by: \.count), ["b1", "a0", "b0", "a1", "b2"]),
            (
                "by count, descending", Ticket.sorted(by: \.count, .descending),
                ["a1", "b2", "a0", "b0", "b1"]
            ),
            (
                "by id, descending, and count", Ticket.sorted(by: \.id, .descending).sorted(by: \.count),
                ["b2", "b1", "a1", "a0", "b0"]
            ),
        ]
        for (name, query, expected) in orders {
            try contract.expectEqual(
                try await store.read(both) { try rows(try $0.fetchScoped(query)) }, expected, "rows \(name)")
            for size in 1...4 {
                try contract.expectEqual(
                    try await pages(of: query, size: size, in: store, both).flatMap(rows), expected,
                    "rows \(name) in pages of \(size)")
            }
        }
        try await store.read(both) { tx in
            let ranked = try tx.fetch(
                Ticket.sorted(by: \.count), including: .rowNumber(), .rank(), .running(.sum(\.count)),
                .running(.sum(\.count), per: \.number))
            try contract.expectEqual(ranked.map(\.1), [1, 2, 3, 4, 5], "the numbers of rows")
            try contract.expectEqual(ranked.map(\.2), [1, 2, 2, 4, 4], "the ranks")
            try contract.expectEqual(ranked.map(\.3), [0, 1, 2, 4, 6], "the running sums")
            try contract.expectEqual(ranked.map(\.4), [0, 1, 2, 2, 2], "the running sums of a number")
        }
        try await cursors(contract, store, both, scopes)
        try await related(contract)
        try await trees(contract)
    }

    private static func pages(
        of query: Query<Ticket>, size: Int, in store: any Store, _ options: ReadOptions
    ) async throws -> [[Scoped<Ticket>]] {
        var pages: [[Scoped<Ticket>]] = []
        var cursor: PageCursor?
        repeat {
            let after = cursor.flatMap { PageCursor($0.description) }
            let page = try await store.read(options) { try $0.pageScoped(query, size: size, after: after) }
            pages.append(page.items)
            cursor = page.next
        } while cursor != nil && pages.count < 10
        return pages
    }

    /// A cursor for some scopes is not valid for others.
    private static func cursors(
        _ contract: Contract, _ store: any Store, _ both: ReadOptions, _ scopes: [StoreScope]
    ) async throws {
        let cursor = try await store.read(both) { try $0.page(Ticket.all, size: 1).next }
        try contract.expectEqual(cursor == nil, false, "whether there is no second page")
        for scope in scopes {
            try await contract.expectError(.invalidArgument, "a cursor of two scopes in a read of one") {
                try await store.read(ReadOptions(scopes: [scope])) { tx in
                    try tx.page(Ticket.all, size: 1, after: cursor)
                }
            }
        }
    }

    /// A row is related only to rows of its own scope, even if other scopes have the same ids.
    private static func related(_ contract: Contract) async throws {
        let (store, home, away) = try await ScopeRequirements.make(contract)
        let parent = Parent(name: "p")
        let child = CascadeChild(parent: parent.id, size: 7)
        try await store.write(WriteOptions(scope: home)) { tx in
            try tx.insert(parent)
            try tx.insert(child)
        }
        try await store.write(WriteOptions(scope: away)) { tx in
            try tx.insert(Parent(id: parent.id, name: "q"))
            try tx.insert(CascadeChild(size: 7))
        }
        try await store.read(ReadOptions(scopes: [home, away])) { tx in
            let withChildren = Parent.where(#Predicate { $0.cascading.contains { $0.size == 7 } })
            try contract.expectEqual(
                try tx.fetchScoped(withChildren).map(\.scope), [home], "the scopes of parents with a child")
            let without = Parent.where(#Predicate { !$0.cascading.contains { $0.size == 7 } })
            try contract.expectEqual(
                try tx.fetchScoped(without).map(\.scope), [away], "the scopes of parents without one")
            let ofQ = CascadeChild.where(#Predicate { $0.parent[\.name] == "q" })
            try contract.expectEqual(try tx.count(ofQ), 0, "children whose parent in their own scope is q")
            let ofP = CascadeChild.where(#Predicate { $0.parent[\.name] == "p" })
            try contract.expectEqual(
                try tx.fetchScoped(ofP).map(\.scope), [home], "children whose parent in their own scope is p")
            let families = try tx.fetch(
                Parent.sorted(by: \.name), including: .count(\.cascading), .all(\.cascading))
            try contract.expectEqual(families.map(\.0.name), ["p", "q"], "parents of one id in two scopes")
            try contract.expectEqual(families.map(\.1), [1, 0], "the numbers of their children")
            try contract.expectEqual(families.map(\.2.count), [1, 0], "the children that are included")
            let children = try tx.fetch(
                CascadeChild.sorted(by: \.parent, \.name, .descending), including: .one(\.parent))
            try contract.expectEqual(
                children.map { $0.1?.name }, ["p", nil], "the parents of children in two scopes")
        }
    }

    /// The rows below and above a row are those of its scope.
    private static func trees(_ contract: Contract) async throws {
        let (store, home, away) = try await ScopeRequirements.make(contract)
        let top = Sighting.ID()
        for (scope, number) in [(home, 1), (away, 11)] {
            try await store.write(WriteOptions(scope: scope)) { tx in
                let specimen = try tx.insert(Specimen()).id
                try tx.insert(Sighting(id: top, specimen: specimen, number: number))
                try tx.insert(Sighting(specimen: specimen, previous: top, number: number + 1))
            }
        }
        let both = ReadOptions(scopes: [home, away])
        let rows = try await store.read(both) { tx in
            let rows = try tx.fetch(Sighting.sorted(by: \.number), including: .rowNumber(per: \.previous))
            try contract.expectEqual(rows.map(\.1), [1, 1, 2, 1], "the places of rows after one row")
            for (row, above) in [(rows[1], 1), (rows[3], 11)] {
                try contract.expectEqual(
                    try tx.ancestors(of: row.0, by: \.previous).map(\.number), [above], "the rows above a row"
                )
            }
            try contract.expectEqual(
                Set(try tx.descendants(of: top, by: \.previous).map(\.row.number)), [2, 12],
                "the rows below the rows of an id")
            return rows.map(\.0)
        }
        try await contract.expectError(.unsupported, "the rows above the rows of an id in two scopes") {
            try await store.read(both) { try $0.ancestors(of: rows[0], by: \.previous) }
        }
    }
}
