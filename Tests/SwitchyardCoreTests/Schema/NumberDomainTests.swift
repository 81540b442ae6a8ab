import Foundation
import MemoryStore
import Switchyard
import SwitchyardCore
import Testing

@Suite("Number domains of attributes")
struct NumberDomainTests {
    private func schema(_ count: NumberDomain?, _ ratio: NumberDomain? = nil) throws -> Schema {
        try Schema(
            version: SchemaVersion(1),
            entities: [
                Entity(
                    "Pet",
                    attributes: [
                        Attribute("id", type: .uuid),
                        Attribute("count", type: .int, domain: count),
                        Attribute("ratio", type: .double, isOptional: true, domain: ratio),
                    ])
            ])
    }

    /// A schema as it was written before attributes had domains.
    private static let plainJSON = """
        {"entities":[{"attributes":[{"column":"id","isOptional":false,"isSearchable":false,"name":"id",\
        "type":"uuid"},{"column":"count","isOptional":false,"isSearchable":false,"name":"count","type":"int"},\
        {"column":"ratio","isOptional":true,"isSearchable":false,"name":"ratio","type":"double"}],"indexes":[],\
        "name":"Pet","relationships":[],"uniqueConstraints":[]}],"version":{"major":1,"minor":0,"patch":0}}
        """

    @Test("each narrow number type has its domain, and a wide one has none")
    func types() {
        let domains: [(NumberDomain?, NumberDomain?)] = [
            (Int8.numberDomain, .integers(range: -128...127)),
            (Int16.numberDomain, .integers(range: -32_768...32_767)),
            (Int32?.numberDomain, .integers(range: -2_147_483_648...2_147_483_647)),
            (UInt8.numberDomain, .integers(range: 0...255)),
            (UInt16.numberDomain, .integers(range: 0...65_535)),
            (UInt32.numberDomain, .integers(range: 0...4_294_967_295)),
            (Float.numberDomain, .singlePrecision), (Int.numberDomain, nil), (Int64?.numberDomain, nil),
            (Double.numberDomain, nil), (Decimal.numberDomain, nil), (String.numberDomain, nil),
        ]
        for (found, expected) in domains { #expect(found == expected) }
    }

    @Test(
        "a number domain holds what its type reads, and nil",
        arguments: [
            (NumberDomain.integers(range: 0...255), [StoredValue.null, .int(0), .int(255)]),
            (
                .singlePrecision,
                [.null, .double(0.5), .double(.infinity), .double(0x1p-149), .double(0x1.fffffep127)]
            ),
        ])
    func inside(domain: NumberDomain, values: [StoredValue]) {
        for value in values { #expect(domain.contains(value)) }
    }

    @Test(
        "a number domain does not hold what its type could not read",
        arguments: [
            (
                NumberDomain.integers(range: 0...255),
                [StoredValue.int(-1), .int(256), .double(1), .text("1")]
            ),
            (
                .singlePrecision,
                [
                    .double(0.1), .double(.nan), .double(16_777_217), .double(0x1p128), .double(0x1p-150),
                    .int(1),
                ]
            ),
        ])
    func outside(domain: NumberDomain, values: [StoredValue]) {
        for value in values { #expect(!domain.contains(value)) }
    }

    @Test("a schema without domains is encoded as before, and an older one is decoded")
    func compatibility() throws {
        let plain = try schema(nil)
        #expect(try CanonicalJSON.text(plain) == Self.plainJSON)
        #expect(CanonicalJSON.value(Schema.self, Self.plainJSON) == plain)
        #expect(plain.fingerprint == "3dbe53f1c1281ace9a15c75cfed9c4e0bf342408af9e80dc0f6ad4cd88c909d6")
    }

    @Test("a number domain is part of the schema as data")
    func data() throws {
        let narrow = try schema(.integers(range: -128...127), .singlePrecision)
        let text = try CanonicalJSON.text(narrow)
        #expect(text.contains(#"{"column":"count","domain":{"integers":{"range":[-128,127]}},"isOptional""#))
        #expect(text.contains(#"{"column":"ratio","domain":{"singlePrecision":{}},"isOptional""#))
        #expect(CanonicalJSON.value(Schema.self, text) == narrow)
        #expect(try narrow.fingerprint != schema(nil).fingerprint)
        #expect(
            narrow.description.contains("  count: int in -128...127\n  ratio: double? of single precision"))
    }

    @Test("a store whose attribute has another domain is refused with a reason")
    func differences() throws {
        let marker = StoreMarker(schema: try schema(.integers(range: 0...255)))
        let error = #expect(throws: StoreError.self) { try marker.admit(try schema(nil)) }
        #expect(error?.code == .schemaMismatch)
        #expect(
            try schema(.integers(range: 0...255)).differences(from: schema(nil)) == [
                "the store has Pet: count: int in 0...255", "the app has Pet: count: int",
            ])
    }

    @Test("a domain that is wrong for its attribute is refused")
    func mismatch() throws {
        let error = #expect(throws: StoreError.self) { try schema(.singlePrecision) }
        #expect(error?.code == .schemaInvalid)
        #expect(
            error?.message
                == "Pet limits the numbers of `count`, which has the type int, as if it had the type double.")
    }

    @Test("the error for a number out of range names the attribute, and never the number")
    func redaction() async throws {
        let store = MemoryStore(schema: try schema(.integers(range: 0...99)))
        for body: @Sendable (WriteTransaction) throws -> Int in [
            { try $0.insertRows(into: "Pet", [[.uuid(UUID()), .int(471_147), .null]]) },
            {
                try $0.insertRows(into: "Pet", [[.uuid(UUID()), .int(7), .null]])
                return try $0.updateRows(
                    of: "Pet", set: [Assignment(attribute: "count", value: .value(.int(471_147)))],
                    where: .constant(true))
            },
            {
                try $0.insertRows(into: "Pet", [[.uuid(UUID()), .int(7), .null]])
                let sum = Operand.arithmetic(.attribute("count"), .add, .value(.int(471_140)))
                return try $0.updateRows(
                    of: "Pet", set: [Assignment(attribute: "count", value: sum)], where: .constant(true))
            },
        ] {
            let error = await #expect(throws: StoreError.self) { try await store.write { try body($0) } }
            #expect(error?.code == .check)
            #expect(error?.entity == "Pet")
            #expect(error?.attribute == "count")
            #expect(error?.debugDescription.contains("471147") == false)
        }
    }
}
