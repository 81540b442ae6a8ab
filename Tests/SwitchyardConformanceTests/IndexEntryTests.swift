import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@Suite("Index entries that are too long for one backend")
struct IndexEntryTests {
    /// A text and 25 decimals in one index.
    private static func entity() -> Entity {
        let decimals = (1...25).map { Attribute("d\($0)", type: .decimal) }
        return Entity(
            "Wide", attributes: [Attribute("id", type: .uuid), Attribute("text", type: .text)] + decimals,
            indexes: [Index(["text"] + decimals.map(\.name))])
    }

    /// A row whose text no backend can compress, and whose decimals are as long as they get.
    private static func row(bytes: Int) throws -> [StoredValue] {
        var state: UInt64 = 7
        let text = (0..<bytes).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Character(UnicodeScalar(UInt8(33 + (state >> 33) % 94)))
        }
        let decimal = try #require(Decimal(string: "-123456789012345678901234567890123456.78"))
        return [.uuid(UUID()), .text(String(text))] + [StoredValue](repeating: .decimal(decimal), count: 25)
    }

    @Test(
        "an index entry with many decimals beside a text is refused by all backends alike",
        arguments: TestBackend.available)
    func decimals(backend: TestBackend) async throws {
        let schema = try Schema(version: SchemaVersion(1), entities: [Self.entity()])
        let store = try await backend.harness.makeStore(schema, busyTimeout: .seconds(60))
        // 2,608 bytes, less 25 times 32 and 12.
        let longest = try Self.row(bytes: 1_796)
        #expect(try await store.write { try $0.insertRows(into: "Wide", [longest]) } == 1)
        for bytes in [1_797, 2_048] {
            let row = try Self.row(bytes: bytes)
            let error = await #expect(throws: StoreError.self) {
                try await store.write { try $0.insertRows(into: "Wide", [row]) }
            }
            #expect(error?.code == .valueNotRepresentable)
            #expect(error?.attribute == "text")
        }
        #expect(try await store.read { try $0.countRows(of: "Wide") } == 1)
        await backend.harness.dispose(store)
    }

    @Model
    struct Book {
        #Index<Book>([\.title])
        let id: ID
        @Attribute(.searchable) var title: String = ""
    }

    @Test(
        "an index entry with a folded copy longer than its text is refused by all backends alike",
        arguments: TestBackend.available)
    func folded(backend: TestBackend) async throws {
        // U+0390 has two bytes, and folded to iota, without its accents, two as well; the ligature U+FB03 has
        // three and becomes the three letters ffi; U+1E9E, three bytes, becomes ss.
        try await backend.withStore(of: Book.self) { store in
            let titles = [String(repeating: "é", count: 1_024), String(repeating: "\u{FB03}", count: 682)]
            try await store.write { _ = try $0.insert(contentsOf: titles.map { Book(title: $0) }) }
            let found = try await store.read {
                try $0.count(Book.where(#Predicate { $0.title.localizedStandardContains("eeee") }))
            }
            #expect(found == 1)
            // Two bytes each, which folding turns into three.
            let grown = String(repeating: "\u{149}", count: 1_000)
            #expect(grown.utf8.count == 2_000)
            let error = await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.insert(Book(title: grown)) }
            }
            #expect(error?.code == .valueNotRepresentable)
            #expect(error?.attribute == "title")
            let update = await #expect(throws: StoreError.self) {
                try await store.write { _ = try $0.update(Book.all, set: [.set(\.title, to: grown)]) }
            }
            #expect(update?.code == .valueNotRepresentable)
        }
    }

    @Test("an index with too many attributes is refused with the schema")
    func attributes() throws {
        let names = (1...31).map { "a\($0)" }
        let entity = Entity(
            "Wide",
            attributes: [Attribute("id", type: .uuid)] + names.map { Attribute($0, type: .int) },
            indexes: [Index(names)])
        let error = #expect(throws: StoreError.self) {
            try Schema(version: SchemaVersion(1), entities: [entity])
        }
        #expect(error?.code == .schemaInvalid)
        #expect(error?.message == "Wide has an index over 31 attributes: the limit is 30.")
    }
}
