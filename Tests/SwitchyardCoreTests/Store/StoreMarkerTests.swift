import SwitchyardCore
import Testing

@Suite("What a store says of itself")
struct StoreMarkerTests {
    private let schema: Schema

    init() throws {
        schema = try Schema(
            version: SchemaVersion(1), entities: [Entity("Baby", attributes: [Attribute("id", type: .uuid)])])
    }

    private func refusal(_ json: String?) -> StoreError? {
        #expect(throws: StoreError.self) { try StoreMarker.decode(json, at: "here") }
    }

    @Test("a marker is read back as it was written")
    func roundTrip() throws {
        let marker = StoreMarker(schema: schema)
        #expect(try StoreMarker.decode(try CanonicalJSON.text(marker), at: "here") == marker)
    }

    @Test("none, and one that cannot be read, are damage that names the place")
    func damaged() {
        #expect(refusal(nil)?.code == .corrupted)
        #expect(refusal("{")?.code == .corrupted)
        #expect(refusal("{}")?.code == .corrupted)
        #expect(
            refusal(#"{"format":1}"#)?.message
                == "The marker of the store at here cannot be read. Restore the store from a backup.")
    }

    @Test("a newer format is refused as such, whether or not it can be read")
    func newer() throws {
        #expect(refusal(#"{"format":2,"what":"else"}"#)?.code == .schemaTooNew)
        var marker = StoreMarker(schema: schema)
        marker.format = 2
        let read = try StoreMarker.decode(try CanonicalJSON.text(marker), at: "here")
        #expect(#expect(throws: StoreError.self) { try read.admit(schema) }?.code == .schemaTooNew)
    }

    @Test("a summary admits what the marker does, and nothing once either was changed")
    func summary() throws {
        let marker = StoreMarker(schema: schema)
        let json = try CanonicalJSON.text(marker)
        let summary = StoreMarker.Summary(marker, json: json)
        #expect(summary.admits(schema, json: json))
        #expect(!summary.admits(schema, json: json.replacing("Baby", with: "Bany")))

        let next = try Schema(version: SchemaVersion(2), entities: schema.entities)
        let other = try Schema(
            version: SchemaVersion(1), entities: [Entity("Pet", attributes: [Attribute("id", type: .uuid)])])
        #expect(!summary.admits(next, json: json))
        #expect(!summary.admits(other, json: json))

        var copying = marker
        copying.role = .copying
        var newer = marker
        newer.format = 2
        for refused in [copying, newer] {
            let json = try CanonicalJSON.text(refused)
            #expect(!StoreMarker.Summary(refused, json: json).admits(schema, json: json))
        }
    }
}
