import Foundation
import SwitchyardCore
import SwitchyardSQL
import Testing

/// What databases that are spread over many machines, and speak PostgreSQL's SQL, refuse or make slow: no statement and
/// no table of a store with scopes uses any of it.
///
/// The text of SQLite is held to the same, so that there is one shape of such stores.
@Suite("SQL that distributed databases refuse")
struct ScopeLintTests {
    /// Words of the language, outside of names and texts in quotation marks.
    private static let refused: Set<String> = [
        // Sequences, by every name.
        "SEQUENCE", "NEXTVAL", "CURRVAL", "SETVAL", "SERIAL", "BIGSERIAL", "SMALLSERIAL", "IDENTITY",
        "GENERATED",
        "AUTOINCREMENT",
        // Code in the database.
        "TRIGGER", "FUNCTION", "PROCEDURE", "RULE",
        // Messages to sessions.
        "LISTEN", "UNLISTEN", "NOTIFY", "PG_NOTIFY",
        // Locks of sessions.
        "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_LOCK_SHARED",
        "PG_ADVISORY_UNLOCK", "PG_ADVISORY_UNLOCK_ALL", "PG_ADVISORY_XACT_LOCK", "PG_TRY_ADVISORY_XACT_LOCK",
        // Constraints that are checked later, and with them all foreign keys: references are.
        "DEFERRABLE", "DEFERRED", "INITIALLY", "FOREIGN", "REFERENCES",
        // State of sessions.
        "TEMP", "TEMPORARY", "DECLARE", "CURSOR",
    ]

    /// What is wrong with a text; empty if nothing is.
    private static func faults(_ text: String) -> [String] {
        let bare = text.replacing(/"[^"]*"|'[^']*'/, with: "_")
        let words = Set(bare.uppercased().split { !$0.isLetter && $0 != "_" }.map(String.init))
        var faults = words.intersection(refused).sorted()
        // SQLite numbers such a column by itself, unless the table has no rowid (sqlite.org/autoinc.html).
        if !bare.contains("WITHOUT ROWID"),
            bare.uppercased().contains(/INTEGER\s+(NOT\s+NULL\s+)?PRIMARY\s+KEY/)
        {
            faults.append("ROWID")
        }
        // What the store is, it is as a whole.
        let isOfStore = text.contains("\"\(SQLGenerator.markerTable)\"")
        if !isOfStore, !text.contains("\"switchyard_scope\"") { faults.append("no scope") }
        for key in text.matches(of: /(?:PRIMARY KEY|UNIQUE|ON CONFLICT|CREATE[^(]*INDEX[^(]*)\s*\(([^)]*)/)
        where !isOfStore {
            if !key.output.1.hasPrefix("\"switchyard_scope\"") {
                faults.append("a key without the scope first")
            }
        }
        return faults
    }

    /// Every kind of statement over the fixture's entities, in one scope and in two.
    private static func statements(_ dialect: SQLDialect) throws -> [String] {
        let plain = SQLGenerator(dialect: dialect, schema: try Fixture.schema(), isScoped: true)
        var texts = try plain.createStore()
        let other = StoreScope(Fixture.uuid(0xBB))
        let conditions: [Condition] = [
            .constant(true), .exists(relationship: "owner", .constant(true)),
            !.exists(relationship: "owner", .compare(.attribute("name"), .equal, .value(.text("a")))),
            .any([
                .isIn(.attribute("age"), [.int(1), .int(2)]),
                .compare(.arithmetic(.value(.int(1)), .divide, .attribute("age")), .less, .value(.int(3))),
            ]),
        ]
        for generator in [plain.confined(to: [Fixture.zone]), plain.confined(to: [Fixture.zone, other])] {
            for condition in conditions {
                texts.append(try generator.select(.rows(of: Fixture.pet, where: condition, limit: 3)).text)
                texts.append(
                    try generator.select(
                        Selection(
                            entity: Fixture.pet, columns: [.aggregate(.count), .aggregate(.maximum("age"))],
                            condition: condition)
                    ).text)
            }
            texts.append(
                try generator.select(
                    .rows(
                        of: Fixture.owner,
                        where: .compare(.count(relationship: "pets"), .greater, .value(.int(1))))
                ).text)
            for attribute in Fixture.pet.attributes where attribute.reference != nil {
                texts.append(try generator.danglingReferences(attribute, of: Fixture.pet, limit: 1).text)
            }
        }
        let generator = plain.confined(to: [Fixture.zone])
        for entity in [Fixture.owner, Fixture.pet] {
            texts.append(try generator.find(in: entity.name))
            texts.append(try generator.copyIn(entity.name))
            let key = entity.uniqueConstraints[0].attributes
            for conflict in [.fail, .ignore(key: key), .update(key: key, set: ["id"])] as [ConflictResolution]
            {
                texts.append(try generator.insert(into: entity.name, onConflict: conflict, rows: 2).text)
                texts.append(
                    try generator.insertArrays(into: entity.name, onConflict: conflict, givesRows: true).text)
            }
        }
        for condition in conditions {
            let assignment = Assignment(attribute: "owner", value: .value(.null))
            texts.append(
                try generator.update("Pet", set: [assignment], where: condition, returning: .id).text)
            texts.append(try generator.delete(from: "Pet", where: condition, returning: .rowBefore).text)
        }
        let operation = OperationID()
        texts += [
            generator.recordOperation(operation, at: 0).text, generator.forgetOperations(at: 0).text,
            generator.findOperation(operation).text,
        ]
        return texts
    }

    @Test(
        "with scopes, no table and no statement uses a refused word or lacks the scope",
        arguments: ["postgres", "sqlite"])
    func lint(dialect: String) throws {
        let texts = try Self.statements(dialect == "sqlite" ? .sqlite : .postgres)
        #expect(texts.count > 50)
        for text in texts { #expect(Self.faults(text).isEmpty, "\(text)") }
    }

    @Test("the scope lint finds each refused construct")
    func lintItself() throws {
        let found = try Fixture.postgres().createStore().flatMap(Self.faults)
        #expect(
            Set(found).isSuperset(of: [
                "DEFERRABLE", "REFERENCES", "no scope", "a key without the scope first",
            ]))
        #expect(try Fixture.sqlite().createStore().flatMap(Self.faults).contains("ROWID"))
        #expect(Self.faults("SELECT nextval('a') FROM \"switchyard_scope\"") == ["NEXTVAL"])
        #expect(Self.faults("LISTEN \"switchyard_scope\"") == ["LISTEN"])
        #expect(Self.faults("SELECT pg_advisory_lock(1), \"switchyard_scope\"") == ["PG_ADVISORY_LOCK"])
        #expect(Self.faults("SELECT 'a trigger' FROM \"A\" WHERE \"switchyard_scope\" = $1").isEmpty)
    }
}
