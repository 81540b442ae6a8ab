internal import Switchyard
internal import SwitchyardCore

/// Requirement S1 for errors: they use attributes' names in Swift, not the names of their columns.
enum ErrorNameRequirements {
    static let all: [Requirement] = [
        Requirement("S1+columns", "an error names the attribute, and not the column that holds it") {
            contract in
            try await refused(contract)
            try await broken(contract)
            try await damaged(contract)
        }
    ]

    private static func expect(
        _ contract: Contract, _ error: StoreError, _ attribute: String, _ what: String
    ) throws {
        try contract.expectEqual(error.entity, "Alias", "the entity of the error of \(what)")
        try contract.expectEqual(error.attribute, attribute, "the attribute of the error of \(what)")
        try requireNoColumn(contract, error, what)
    }

    private static func requireNoColumn(_ contract: Contract, _ error: StoreError, _ what: String) throws {
        try contract.expect(
            !error.description.contains("col_"), "the text of the error of \(what)",
            expected: "names of attributes alone", found: error.description)
    }

    /// Values that the codec refuses before the backend sees them.
    private static func refused(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        @Sendable func row(_ number: Int, _ values: [Int: StoredValue]) -> [StoredValue] {
            let row: [StoredValue] = [
                .uuid(BatchSpecimen.id(number)), .text("w\(number)"), .null, .int(0), .int(1), .null,
            ]
            return row.indices.map { values[$0] ?? row[$0] }
        }
        let long = StoredValue.text(String(repeating: "x", count: Limits.indexEntryBytes + 1))
        let rows: [(StoreError.Code, String, [Int: StoredValue])] = [
            (.valueNotRepresentable, "word", [1: .text("a\u{0}")]), (.notNull, "word", [1: .null]),
            (.valueNotRepresentable, "meaning", [2: long]), (.check, "size", [3: .int(300)]),
            (.check, "rank", [4: .int(9)]), (.valueNotRepresentable, "size", [3: .text("1")]),
        ]
        for (code, attribute, values) in rows {
            let error = try await contract.expectError(code, "a row whose \(attribute) is refused") {
                try await store.write { try $0.insertRows(into: "Alias", [row(1, values)]) }
            }
            try expect(contract, error, attribute, "a row whose \(attribute) is refused")
        }
        let updates: [(StoreError.Code, String, StoredValue)] = [
            (.notNull, "word", .null), (.check, "size", .int(-129)), (.check, "rank", .int(3)),
            (.unsupported, "meaning", .int(1)),
        ]
        try await store.write { try $0.insertRows(into: "Alias", [row(1, [:])]) }
        for (code, attribute, value) in updates {
            let error = try await contract.expectError(code, "an update that refuses \(attribute)") {
                try await store.write { tx in
                    try tx.updateRows(
                        of: "Alias", set: [Assignment(attribute: attribute, value: .value(value))],
                        where: .constant(true))
                }
            }
            try expect(contract, error, attribute, "an update that refuses \(attribute)")
        }
    }

    /// Errors that the backend detects; they may name the constraint without the attribute.
    private static func broken(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        try await store.write { _ = try $0.insert(contentsOf: [Alias(word: "a"), Alias(word: "b")]) }
        let writes: [(StoreError.Code, String, @Sendable (WriteTransaction) throws -> Void)] = [
            (.unique, "word", { try $0.insert(Alias(word: "a")) }),
            (.unique, "word", { try $0.update(Alias.all, set: [.set(\.word, to: "c")]) }),
            (.foreignKey, "owner", { try $0.insert(Alias(word: "d", owner: Parent.ID())) }),
            (.foreignKey, "owner", { try $0.update(Alias.all, set: [.set(\.owner, to: Parent.ID())]) }),
        ]
        for (code, attribute, write) in writes {
            let what = "a write that breaks \(code) of \(attribute)"
            let error = try await contract.expectError(code, what) { try await store.write { try write($0) } }
            try contract.expectEqual(error.entity, "Alias", "the entity of the error of \(what)")
            try contract.expect(
                error.attribute == nil || error.attribute == attribute,
                "the attribute of the error of \(what)",
                expected: "\(attribute) or none", found: ShownValue.text(error.attribute as Any))
            try requireNoColumn(contract, error, what)
            let constraint = code == .unique ? "unique_Alias_word" : "reference_Alias_owner"
            try contract.expectEqual(error.constraint, constraint, "the constraint of the error of \(what)")
        }
    }

    private static func damaged(_ contract: Contract) async throws {
        let faults: [(PlantedFault, String)] = [
            (.invalidUTF8(entity: "Alias", attribute: "meaning"), "meaning"),
            (.wideInteger(entity: "Alias", attribute: "size"), "size"),
            (.text(entity: "Alias", attribute: "size"), "size"),
        ]
        for (fault, attribute) in faults {
            let store = try await contract.makeStore()
            try await store.write { _ = try $0.insert(Alias(word: "a", meaning: "m")) }
            guard try await contract.plant(fault, in: store) else { continue }
            let error = try await contract.expectError(.corrupted, "a read after \(fault)") {
                try await store.read { try $0.fetch(Alias.all) }
            }
            try expect(contract, error, attribute, "a read after \(fault)")
        }
    }
}
