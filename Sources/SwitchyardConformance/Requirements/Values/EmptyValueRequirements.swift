internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement V4: nil is distinct from 0, empty text and an empty blob wherever values are compared.
enum EmptyValueRequirements {
    static let all: [Requirement] = [
        Requirement(
            "V4+beside", "nil and 0, empty text and empty blobs stay apart in orders, groups and keys"
        ) {
            contract in
            try await orders(contract)
            try await groups(contract)
            try await keys(contract)
        },
        Requirement("V4+update", "an update to empty, to 0 or to nil is kept as what it is") { contract in
            try await updates(contract)
        },
    ]

    /// Specimens whose `whole` identifies their other values.
    private static func makeStore(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: [
                Specimen(
                    whole: 1, amount: 0, memo: "", data: Data(), moment: Date(timeIntervalSince1970: 0),
                    otherReal: 0, otherWhole: 0),
                Specimen(whole: 2),
                Specimen(
                    whole: 3, amount: -1, memo: "\u{1}", data: Data([0]),
                    moment: Date(timeIntervalSince1970: -1),
                    otherReal: -1, otherWhole: -1),
                Specimen(whole: 4),
                Specimen(
                    whole: 5, amount: 0, memo: "", data: Data(), moment: Date(timeIntervalSince1970: 0),
                    otherReal: -0.0, otherWhole: 0),
            ])
        }
        return store
    }

    private static func orders(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let below = ["amount", "moment", "otherReal", "otherWhole"]
        for attribute in below + ["memo", "data"] {
            // −1 comes before 0; of text and blobs the empty one is the smallest.
            let values = below.contains(attribute) ? [3, 1, 5] : [1, 5, 3]
            for (direction, expected) in [
                (SortDirection.ascending, [2, 4] + values),
                (.descending, (below.contains(attribute) ? [1, 5, 3] : [3, 1, 5]) + [2, 4]),
            ] {
                let found = try await store.read { tx in
                    try tx.fetchRows(
                        of: "Specimen", sortedBy: [SortKey(attribute, direction), SortKey("whole")]
                    ).map { $0[2] }
                }
                try contract.expectEqual(
                    found, expected.map { StoredValue.int(Int64($0)) }, "rows by \(attribute), \(direction)")
            }
        }
    }

    private static func groups(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let (memos, wholes, reals, amounts, blobs) = try await store.read { tx in
            (
                try tx.aggregate(Specimen.all, by: .attribute(\.memo), figures: .count),
                try tx.aggregate(Specimen.all, by: .attribute(\.otherWhole), figures: .count),
                try tx.aggregate(Specimen.all, by: .attribute(\.otherReal), figures: .count),
                try tx.aggregate(Specimen.all, by: .attribute(\.amount), figures: .count),
                try tx.aggregate(Specimen.all, by: .attribute(\.data), figures: .count)
            )
        }
        try contract.expectEqual(memos.map(\.key), [nil, "", "\u{1}"], "groups by text")
        try contract.expectEqual(wholes.map(\.key), [nil, -1, 0], "groups by integers")
        try contract.expectEqual(reals.map(\.key), [nil, -1, 0], "groups by doubles")
        try contract.expectEqual(amounts.map(\.key), [nil, -1, 0], "groups by decimals")
        try contract.expectEqual(blobs.map(\.key), [nil, Data(), Data([0])], "groups by blobs")
        try contract.expectEqual(
            [
                memos.map(\.figures), wholes.map(\.figures), reals.map(\.figures), amounts.map(\.figures),
                blobs.map(\.figures),
            ],
            [[2, 2, 1], [2, 1, 2], [2, 1, 2], [2, 1, 2], [2, 2, 1]],
            "the rows of groups by text, integers, doubles, decimals and blobs")
        let (count, least, sum) = try await store.read { tx in
            try tx.aggregate(Specimen.all, .count(of: \.memo), .minimum(\.memo), .sum(\.otherWhole))
        }
        try contract.expectEqual(
            [count, sum], [3, -1], "the number of rows with text, and a sum beside nils")
        try contract.expectEqual(least, "", "the smallest text, which is empty")
        let empty = try await store.read { tx in
            [
                try tx.count(Specimen.where(#Predicate { ($0.memo ?? "") == "" })),
                try tx.count(Specimen.where(#Predicate { $0.memo == "" })),
                try tx.count(Specimen.where(#Predicate { $0.otherWhole == 0 })),
                try tx.count(Specimen.where(#Predicate { $0.otherWhole != 0 })),
            ]
        }
        try contract.expectEqual(
            empty, [4, 2, 2, 3], "rows whose text is empty or nil, empty; whose number is 0, is not 0")
    }

    private static func keys(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { tx in
            try tx.insert(contentsOf: [
                Place(isListed: true), Place(number: 0, picture: Data(), isListed: true),
                Place(name: "", picture: Data([0]), isListed: true), Place(number: 0, name: ""),
            ])
        }
        let repeated: [(String, Place)] = [
            ("nil and nil", Place(picture: Data([1]))), ("0 and nil", Place(number: 0)),
            ("nil and empty text", Place(name: "")), ("0 and empty text", Place(number: 0, name: "")),
            ("nil among listed ones", Place(number: 7, isListed: true)),
            ("an empty blob among listed ones", Place(number: 7, picture: Data(), isListed: true)),
        ]
        for (what, place) in repeated {
            try await contract.expectError(.unique, "a second row with \(what)") {
                try await store.write { try $0.insert(place) }
            }
        }
        try await contract.expectError(.unique, "an update that makes nil and empty text of 0 and empty text")
        {
            try await store.write {
                try $0.update(
                    Place.where(#Predicate { $0.number == 0 && $0.name == "" }),
                    set: [.set(\.number, to: nil)])
            }
        }
        try contract.expectEqual(try await store.read { try $0.count(Place.all) }, 4, "rows afterwards")
    }

    private static func updates(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        let full = BatchSpecimen.values(1)
        let entity = try store.schema.require("Specimen")
        let rest: [String: StoredValue] = [
            "text": .text(""), "memo": .text(""), "data": .blob(Data()), "otherWhole": .int(0),
            "otherReal": .double(0), "amount": .decimal(0), "renamed": .text(""), "labels": .json("[]"),
        ]
        let optional = entity.attributes.filter(\.isOptional).map(\.name)
        try await store.write { try $0.insertRows(into: "Specimen", [full]) }
        var expected = full
        for (attribute, value) in rest.sorted(by: { $0.key < $1.key }) + optional.map({ ($0, .null) })
            + rest.sorted(by: { $0.key < $1.key })
        {
            try await store.write { tx in
                try tx.updateRows(
                    of: "Specimen", set: [Assignment(attribute: attribute, value: .value(value))],
                    where: .constant(true))
            }
            for index in entity.attributes.indices where entity.attributes[index].name == attribute {
                expected[index] = value
            }
            try await contract.expectRows(
                in: store, of: "Specimen", [expected],
                "\(attribute) updated to \(value.isNull ? "nil" : "empty")")
        }
        try await typedUpdates(contract)
    }

    /// The same update through a model, whole and as an upsert.
    private static func typedUpdates(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        var specimen = try await store.write { try $0.insert(BatchSpecimen.make(1)) }
        let id = specimen.id
        func expect(_ expected: Specimen, _ how: String) async throws {
            let found = try await store.read { try $0.find(id) }
            try contract.expectEqual(found, expected, "a row \(how)")
        }
        (specimen.text, specimen.memo, specimen.data, specimen.renamed) = ("", "", Data(), "")
        (specimen.labels, specimen.amount, specimen.otherWhole) = ([], 0, 0)
        let emptied = specimen
        try await store.write { _ = try $0.update(emptied) }
        try await expect(emptied, "updated to empty values")
        (specimen.memo, specimen.data, specimen.renamed, specimen.amount) = (nil, nil, nil, nil)
        (specimen.key, specimen.moment, specimen.day, specimen.label) = (nil, nil, nil, nil)
        let bare = specimen
        try await store.write { _ = try $0.update(bare) }
        try await expect(bare, "updated to nil")
        try await store.write { _ = try $0.upsert([emptied], on: \.id) }
        try await expect(emptied, "upserted to empty values")
        try await store.write { _ = try $0.upsert([bare], on: \.id) }
        try await expect(bare, "upserted to nil")
    }
}
