internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements S1 to S6: names, limits, opening, durability.
enum SchemaRequirements {
    static let all: [Requirement] = [
        Requirement("S1", "names that SQL keeps for itself work, and bad ones are refused") { contract in
            let words = Entity(
                "Order",
                attributes: [
                    Attribute("id", type: .uuid), Attribute("select", type: .text),
                    Attribute("group", type: .int),
                    Attribute("where", column: "table", type: .bool, isOptional: true),
                    Attribute("references", type: .uuid, isOptional: true, reference: "Order"),
                ], indexes: [Index(["select", "group"])], uniqueConstraints: [UniqueConstraint(["group"])])
            let long = String(repeating: "LongName", count: 7)
            let wide = Entity(
                long,
                attributes: [
                    Attribute("id", type: .uuid), Attribute("a" + long, type: .int),
                    Attribute("b" + long, type: .int),
                ], uniqueConstraints: [UniqueConstraint(["a" + long]), UniqueConstraint(["b" + long])])
            let store = try await contract.makeStore(
                try Schema(version: SchemaVersion(1), entities: [words, wide]))
            let id = StoredValue.uuid(OperationID().uuid)
            let row: [StoredValue] = [id, .text("\"quoted\""), .int(4), .bool(true), id]
            try await store.write { tx in
                try tx.insertRows(into: "Order", [row])
                try tx.insertRows(into: long, [[id, .int(1), .int(2)]])
            }
            let found = try await store.read { tx in
                try tx.fetchRows(
                    of: "Order", where: .compare(.attribute("select"), .equal, .value(.text("\"quoted\""))),
                    sortedBy: [SortKey("group")])
            }
            try contract.expectEqual(found, [row], "a row whose names are words of SQL")
            let other = StoredValue.uuid(OperationID().uuid)
            try await contract.expectError(.unique, "a long-named constraint") {
                try await store.write { try $0.insertRows(into: long, [[other, .int(3), .int(2)]]) }
            }
            for name in ["a b", "größe", "", "a\"b", String(repeating: "n", count: 64)] {
                try await contract.expectError(.schemaInvalid, "the name `\(name)`") {
                    try Schema(
                        version: SchemaVersion(1),
                        entities: [Entity(name, attributes: [Attribute("id", type: .uuid)])])
                }
            }
            for column in ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"] {
                try await contract.expectError(.schemaInvalid, "the column `\(column)`") {
                    try Schema(
                        version: SchemaVersion(1),
                        entities: [
                            Entity(
                                "A",
                                attributes: [
                                    Attribute("id", type: .uuid), Attribute("x", column: column, type: .int),
                                ])
                        ])
                }
            }
            try await contract.expectError(.schemaInvalid, "two names that differ in case only") {
                try Schema(
                    version: SchemaVersion(1),
                    entities: [
                        Entity(
                            "A",
                            attributes: [
                                Attribute("id", type: .uuid), Attribute("x", type: .int),
                                Attribute("X", type: .int),
                            ])
                    ])
            }
        },
        Requirement("S2", "a column that somebody adds to a table changes no answer") { contract in
            let store = try await contract.makeStore()
            let first = try await store.write { try $0.insert(Ticket(number: 1, gate: "A")) }
            func work(_ number: Int) async throws -> [Int] {
                try await store.write { tx in
                    try tx.insert(Ticket(number: number))
                    try tx.upsert([Ticket(number: 1, gate: "B")], on: \.number)
                    try tx.update(
                        Ticket.where(#Predicate { $0.number > 1 }), set: [.set(\.count, to: number)])
                }
                return try await store.read { tx in
                    let found = try tx.find(first.id)
                    return [found?.number ?? 0, try tx.count(Ticket.all)]
                        + (try tx.fetch(Ticket.sorted(by: \.number)).map(\.count))
                }
            }
            // Twice, so that backends that cache plans use them.
            try contract.expectEqual(try await work(2), [1, 2, 0, 2], "answers before")
            try contract.expectEqual(try await work(3), [1, 3, 0, 3, 3], "answers before")
            guard try await contract.plant(.furtherColumn(entity: "Ticket"), in: store) else { return }
            try contract.expectEqual(
                try await work(4), [1, 4, 0, 4, 4, 4], "answers from a table with a column more")
        },
        Requirement("S3", "indexed text has a stated limit") { contract in
            let store = try await contract.makeStore()
            // Incompressible text, so that no backend can hide its size: every two-digit hexadecimal number in turn.
            let letters = (0..<Limits.indexEntryBytes).map { index in
                let mixed = UInt64(truncatingIfNeeded: index &+ 1) &* 0x9E37_79B9_7F4A_7C15
                return Character(UnicodeScalar(UInt8(33 + (mixed >> 40) % 94)))
            }
            let longest = String(letters)
            try await store.write { try $0.insert(Specimen(text: longest)) }
            let found = try await store.read { tx in
                try tx.fetch(Specimen.all).map(\.text.utf8.count)
            }
            try contract.expectEqual(found, [2_048], "the length of the longest indexed text")
            try await contract.expectError(.valueNotRepresentable, "indexed text beyond the limit") {
                try await store.write { try $0.insert(Specimen(text: longest + "x")) }
            }
        },
        Requirement(
            "S4",
            "a store is opened by its own schema, as the options say, and refuses an older or different one"
        ) {
            contract in
            try await OpeningChecks.verify(contract)
        },
        Requirement("S5", "a returned write is there when the place is opened again", needs: .durability) {
            contract in
            let store = try await contract.makeStore()
            let ticket = try await store.write { try $0.insert(Ticket(number: 7)) }
            func look(whileFirstIs state: String) async throws {
                let again = try await contract.reopen(store)
                let found = try await again.read { try $0.find(ticket.id) }
                let marker = try await again.marker()
                try await again.close()
                try contract.expectEqual(
                    found?.number, 7, "the row, read again while the first store is \(state)")
                try contract.expectEqual(
                    marker.schema, try ContractSchema.schema, "the schema in the store's marker")
            }
            // A process may die before it closes its store.
            try await look(whileFirstIs: "open")
            try await store.close()
            try await look(whileFirstIs: "closed")
        },
        Requirement("S+closed", "a closed store says that it is closed, and nothing else") { contract in
            let store = try await contract.makeStore()
            try await store.write { try $0.insert(Ticket(number: 7)) }
            try await store.close()
            try await contract.expectError(.closed, "a read of a closed store") {
                try await store.read { try $0.count(Ticket.all) }
            }
            try await contract.expectError(.closed, "a write to a closed store") {
                try await store.write { try $0.insert(Ticket(number: 8)) }
            }
            try await contract.expectError(.closed, "the marker of a closed store") {
                try await store.marker()
            }
            try await contract.expectError(.closed, "the check of a closed store") {
                try await store.check()
            }
            try await contract.expectError(.closed, "the question after an operation of a closed store") {
                try await store.wasCommitted(OperationID())
            }
            // Cleanup code may not know that the store is already closed.
            try await store.close()
        },
        Requirement("S6", "rows have one canonical form, over which digests are computed") { contract in
            let store = try await contract.makeStore()
            let specimen = CanonicalSpecimen.make()
            try await store.write { try $0.insert(specimen) }
            let text = try await store.read { tx in
                try CanonicalJSON.text(try tx.fetchRows(of: "Specimen"))
            }
            try contract.expect(
                text.utf8.elementsEqual(CanonicalSpecimen.text.utf8), "the canonical form of a row",
                expected: CanonicalSpecimen.text, found: text)
            try contract.expectEqual(
                try await store.marker().schema.fingerprint, try ContractSchema.schema.fingerprint,
                "the fingerprint of the schema in the store's marker")
        },
        Requirement("S+check", "a sound store is found sound") { contract in
            let store = try await contract.makeStore()
            let parent = Parent(name: "Mia")
            try await store.write { tx in
                try tx.insert(parent)
                try tx.insert(CascadeChild(parent: parent.id))
                try tx.insert(Specimen(amount: 1, memo: "m", labels: [Label(name: "x", weight: 1)]))
            }
            try contract.expectEqual(try await store.check(), [], "what the check found")
            try contract.expectEqual(try await store.marker().role, .active, "the role of a new store")
        },
    ]
}
