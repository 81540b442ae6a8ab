internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements Q1 to Q9: order, nil, conditions, figures.
enum QueryRequirements {
    static let all: [Requirement] = order + absence + RelatedRequirements.all + text + figures + bounds

    private static let order: [Requirement] = [
        Requirement("Q1", "nil sorts first ascending and last descending") { contract in
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: [Specimen(otherWhole: 2), Specimen(), Specimen(otherWhole: -1)])
            }
            let ascending = try await store.read {
                try $0.fetch(Specimen.sorted(by: \.otherWhole)).map(\.otherWhole)
            }
            try contract.expectEqual(ascending, [nil, -1, 2], "ascending")
            let descending = try await store.read {
                try $0.fetch(Specimen.sorted(by: \.otherWhole, .descending)).map(\.otherWhole)
            }
            try contract.expectEqual(descending, [2, -1, nil], "descending")
        },
        Requirement("Q2", "the id breaks ties and is the order where none is given") { contract in
            let ids = ["03", "01", "02"].compactMap { Specimen.ID("000000\($0)-0000-7000-8000-000000000000") }
            let store = try await contract.makeStore()
            try await store.write { tx in try tx.insert(contentsOf: ids.map { Specimen(id: $0, whole: 5) }) }
            let expected = [ids[1], ids[2], ids[0]]
            let plain = try await store.read { try $0.fetch(Specimen.all).map(\.id) }
            try contract.expectEqual(plain, expected, "rows without a sort")
            let tied = try await store.read {
                try $0.fetch(Specimen.sorted(by: \.whole, .descending)).map(\.id)
            }
            try contract.expectEqual(tied, expected, "rows with equal keys, sorted descending")
        },
    ]

    private static let absence: [Requirement] = [
        Requirement("Q3", "nil compares as in Swift: it differs from every value and equals nil") {
            contract in
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Specimen(whole: 1, otherWhole: 1), Specimen(whole: 2, otherWhole: 2), Specimen(whole: 3),
                ])
            }
            func wholes(_ predicate: Predicate<Specimen>) async throws -> [Int] {
                try await store.read {
                    try $0.fetch(Specimen.where(predicate).sorted(by: \.whole)).map(\.whole)
                }
            }
            try contract.expectEqual(try await wholes(#Predicate { $0.otherWhole != 1 }), [2, 3], "!= 1")
            try contract.expectEqual(try await wholes(#Predicate { $0.otherWhole == nil }), [3], "== nil")
            try contract.expectEqual(try await wholes(#Predicate { $0.otherWhole != nil }), [1, 2], "!= nil")
            try contract.expectEqual(
                try await wholes(#Predicate { !($0.otherWhole.flatMap { $0 > 1 } ?? false) }), [1, 3],
                "not > 1")
            try contract.expectEqual(
                try await wholes(#Predicate { !($0.otherWhole == 1) }), [2, 3], "not == 1")
            let chosen: [Int?] = [1, nil]
            try contract.expectEqual(
                try await wholes(#Predicate { chosen.contains($0.otherWhole) }), [1, 3],
                "in a list that holds nil")
            try contract.expectEqual(
                try await wholes(#Predicate { ($0.otherWhole ?? 9) > 1 }), [2, 3], "a default for nil")
        },
        Requirement("Q5", "a collection of any size is one parameter") { contract in
            let store = try await contract.makeStore()
            try await store.write { tx in try tx.insert(contentsOf: (0..<50).map { Specimen(whole: $0) }) }
            let many = Array(stride(from: 0, to: 200_000, by: 2))
            let count = try await store.read { tx in
                try tx.count(Specimen.where(#Predicate { many.contains($0.whole) }))
            }
            try contract.expectEqual(count, 25, "rows whose number is in a list of 100,000")
            let none: [Int] = []
            let empty = try await store.read { tx in
                try tx.count(Specimen.where(#Predicate { none.contains($0.whole) }))
            }
            try contract.expectEqual(empty, 0, "rows whose number is in an empty list")
        },
        Requirement("Q+exists", "a to-many is asked by what its rows fulfil") { contract in
            let store = try await contract.makeStore()
            let names = try await store.write { tx in
                let mia = try tx.insert(Parent(name: "Mia"))
                let leo = try tx.insert(Parent(name: "Leo"))
                try tx.insert(Parent(name: "Ada"))
                try tx.insert(contentsOf: [
                    CascadeChild(parent: mia.id, size: 1), CascadeChild(parent: mia.id, size: 5),
                    CascadeChild(parent: leo.id, size: 2), CascadeChild(size: 9),
                ])
                return try tx.fetch(
                    Parent.where(#Predicate { $0.cascading.contains { $0.size > 3 } }).sorted(by: \.name)
                ).map(\.name)
            }
            try contract.expectEqual(names, ["Mia"], "parents of a child above 3")
            let without = try await store.read { tx in
                try tx.fetch(
                    Parent.where(#Predicate { !$0.cascading.contains { $0.size > 0 } }).sorted(by: \.name)
                ).map(\.name)
            }
            try contract.expectEqual(without, ["Ada"], "parents without a child above 0")
        },
    ]

    private static let text: [Requirement] = [
        Requirement("Q4", "text matches by bytes, without wildcards, and folded where declared searchable") {
            contract in
            let store = try await contract.makeStore()
            let texts = ["100%", "100 percent", "a_b", "aXb", "Éclair", "éclair", "back\\slash"]
            try await store.write { tx in
                try tx.insert(contentsOf: texts.map { Specimen(text: $0, memo: $0) })
            }
            func found(_ predicate: Predicate<Specimen>) async throws -> [String] {
                try await store.read {
                    try $0.fetch(Specimen.where(predicate).sorted(by: \.text)).map(\.text)
                }
            }
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("0%") }), ["100%"], "contains %")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("a_b") }), ["a_b"], "contains _")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.starts(with: "100") }), ["100 percent", "100%"],
                "a prefix")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("\\s") }), ["back\\slash"],
                "contains a backslash")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("éclair") }), ["éclair"], "contains, by bytes")
            try contract.expectEqual(
                try await found(#Predicate { $0.text.contains("") }).count, 7, "contains the empty text")
            try await FoldingChecks.verify(contract, store)
            try await contract.expectError(.unsupported, "a search of an attribute that is not searchable") {
                try await store.read { tx in
                    try tx.fetch(Specimen.matching(.search(attribute: "text", .contains, text: "eclair")))
                }
            }
        }
    ]

    private static let figures: [Requirement] = [
        Requirement("Q7", "sums are exact or an error, averages come from them, extremes ignore nil") {
            contract in
            let store = try await contract.makeStore()
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Specimen(flag: true, whole: 3, real: 0.1, amount: Decimal(string: "0.1"), otherWhole: 4),
                    Specimen(flag: true, whole: 4, real: 0.2, amount: Decimal(string: "0.2")),
                    Specimen(flag: true, whole: 5, real: 1e16, otherWhole: 9),
                    Specimen(flag: true, whole: -8, real: -1e16),
                ])
            }
            try await FigureChecks.verify(contract, store)
        }
    ]

    private static let bounds: [Requirement] = [
        Requirement("Q8", "limit 0 and an offset past the end give nothing, a negative one is an error") {
            contract in
            let store = try await contract.makeStore()
            try await store.write { tx in try tx.insert(contentsOf: (0..<5).map { Specimen(whole: $0) }) }
            let sorted = Specimen.sorted(by: \.whole)
            func wholes(_ query: Query<Specimen>) async throws -> [Int] {
                try await store.read { try $0.fetch(query).map(\.whole) }
            }
            let cases: [(String, Query<Specimen>, [Int])] = [
                ("limit 0", sorted.limit(0), []), ("offset at the end", sorted.offset(5), []),
                ("offset past the end", sorted.offset(99), []),
                ("offset 1, limit 2", sorted.offset(1).limit(2), [1, 2]),
                ("limit 3, offset 1", sorted.limit(3).offset(1), [1, 2]),
                ("limit 2, limit 4", sorted.limit(2).limit(4), [0, 1]),
                ("offset 1, offset 2", sorted.offset(1).offset(2), [3, 4]),
                ("limit 2, offset 3", sorted.limit(2).offset(3), []),
                ("the greatest offset, offset 1", sorted.offset(.max).offset(1), []),
            ]
            for (what, query, expected) in cases {
                try contract.expectEqual(try await wholes(query), expected, what)
            }
            let negative: [(String, Query<Specimen>)] = [
                ("a negative limit", sorted.limit(-1)), ("a negative offset", sorted.offset(-1)),
                ("a negative limit and another one", sorted.limit(-1).limit(3)),
                ("a negative offset and another one", sorted.offset(-1).offset(3)),
                ("a negative limit and an offset", sorted.limit(-1).offset(1)),
            ]
            for (what, query) in negative {
                try await contract.expectError(.invalidArgument, what) { try await wholes(query) }
            }
            let count = try await store.read { try $0.count(Specimen.all.offset(1).limit(3)) }
            try contract.expectEqual(count, 3, "a count with offset and limit")
        },
        Requirement("Q8+last", "a condition or an order after a limit or an offset is an error") { contract in
            let store = try await contract.makeStore()
            try await store.write { tx in try tx.insert(contentsOf: (0..<5).map { Specimen(whole: $0) }) }
            let isHigh = #Predicate<Specimen> { $0.whole > 2 }
            let queries: [(String, Query<Specimen>)] = [
                ("a predicate after a limit", Specimen.all.limit(2).where(isHigh)),
                ("a predicate after an offset", Specimen.all.offset(2).where(isHigh)),
                ("a condition after a limit", Specimen.all.limit(2).matching(.constant(true))),
                ("alternatives after a limit", Specimen.all.limit(2).matching(anyOf: isHigh)),
                ("an order after a limit", Specimen.all.limit(2).sorted(by: \.whole, .descending)),
                ("an order after an offset", Specimen.all.offset(2).sorted(by: \.whole)),
            ]
            for (what, query) in queries {
                try await contract.expectError(.invalidArgument, "a fetch with \(what)") {
                    try await store.read { try $0.fetch(query) }
                }
                try await contract.expectError(.invalidArgument, "a count with \(what)") {
                    try await store.read { try $0.count(query) }
                }
                try await contract.expectError(.invalidArgument, "a delete with \(what)") {
                    try await store.write { try $0.delete(query) }
                }
                try await contract.expectError(.invalidArgument, "an update with \(what)") {
                    try await store.write { try $0.update(query, set: [.set(\.whole, to: 9)]) }
                }
            }
            let wholes = try await store.read { try $0.fetch(Specimen.sorted(by: \.whole), \.whole) }
            try contract.expectEqual(
                wholes, [0, 1, 2, 3, 4], "the rows after the refused deletes and updates")
        },
        Requirement("Q9", "a condition of 10,000 terms works, and a too deep one is an error") { contract in
            let store = try await contract.makeStore()
            try await store.write { tx in try tx.insert(contentsOf: (0..<20).map { Specimen(whole: $0) }) }
            let terms = (0..<10_000).map {
                Condition.compare(.attribute("whole"), .equal, .value(.int(Int64($0) * 2)))
            }
            let count = try await store.read { try $0.count(Specimen.matching(.any(terms))) }
            try contract.expectEqual(count, 10, "rows that fulfil one of 10,000 terms")
            let none = try await store.read { try $0.count(Specimen.matching(.all(terms))) }
            try contract.expectEqual(none, 0, "rows that fulfil all of 10,000 terms")
            var deep = Condition.compare(.attribute("whole"), .equal, .value(.int(1)))
            for _ in 0..<1_000 { deep = .not(.all([deep])) }
            let tooDeep = deep
            try await contract.expectError(.unsupported, "a condition 2,000 deep") {
                try await store.read { try $0.count(Specimen.matching(tooDeep)) }
            }
            try await DepthChecks.verify(contract, store)
        },
    ]
}
