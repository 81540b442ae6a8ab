import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardStore

@Suite("The store's marker")
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

    @Test("a missing or unreadable marker is damage that names the place")
    func damaged() {
        #expect(refusal(nil)?.code == .corrupted)
        #expect(refusal("{")?.code == .corrupted)
        #expect(refusal("{}")?.code == .corrupted)
        #expect(
            refusal(#"{"format":1}"#)?.message
                == "The marker of the store at here cannot be read. Restore the store from a backup.")
    }

    @Test(
        "a marker with impossible numbers or schema is damage",
        arguments: [
            (#""generation":1"#, #""generation":9223372036854775807"#),
            (#""generation":1"#, #""generation":-1"#),
            (#""era":1"#, #""era":9223372036854775807"#),
            (#""entities":7"#, #""entities":-1"#),
            (#""entities":7"#, #""entities":2"#),
            (#""rows":8"#, #""rows":9223372036854775807"#),
            (#""sequence":9"#, #""sequence":-9223372036854775808"#),
            (#""skipped":6"#, #""skipped":9223372036854775807"#),
            (#""name":"Baby""#, #""name":"switchyard_history""#),
        ])
    func impossible(what: String, instead: String) throws {
        let options = OpenOptions(keepsHistory: true)
        var marker = StoreMarker(schema: schema, options: options)
        let place = HistoryPosition(sequence: 9, digest: HistoryPosition.start.digest)
        var record = SwitchRecord(id: marker.storeID, state: .copying, peer: "there")
        record.copied = SwitchRecord.Copied(
            token: HistoryToken(storeID: marker.storeID, scope: nil, era: 0, place))
        record.copied?.entities = 1
        record.copied?.rows = 8
        record.findings = RehearsalFindings()
        record.findings?.skipped = 6
        marker.switching = record
        let json = try CanonicalJSON.text(marker).replacing(#""entities":1"#, with: #""entities":7"#)
        let right = json.replacing(#""entities":7"#, with: #""entities":1"#)
        #expect(try StoreMarker.decode(right, at: "here") == marker)
        #expect(json.contains(what))
        let wrong = json.replacing(what, with: instead).replacing(#""entities":7"#, with: #""entities":1"#)
        #expect(refusal(wrong)?.code == .corrupted)
    }

    @Test("a marker keeps a part in a mirror that only a later version knows, and need not have one")
    func mirror() throws {
        var marker = StoreMarker(schema: schema)
        let plain = try CanonicalJSON.text(marker)
        #expect(!plain.contains("mirror"))
        #expect(try StoreMarker.decode(plain).mirror == nil)
        let server = UUID()
        marker.mirror = .device(of: server)
        let json = try CanonicalJSON.text(marker)
        #expect(try StoreMarker.decode(json).mirror == .device(of: server))
        let later = json.replacing(#""device""#, with: #""relay""#)
        let read = try StoreMarker.decode(later)
        #expect(read.mirror != nil && read.mirror != .device(of: server))
        #expect(try CanonicalJSON.text(read) == later)
    }

    @Test("a marker of a newer format is refused as such, readable or not")
    func newer() throws {
        #expect(refusal(#"{"format":2,"what":"else"}"#)?.code == .schemaTooNew)
        var marker = StoreMarker(schema: schema)
        marker.format = 2
        let read = try StoreMarker.decode(try CanonicalJSON.text(marker), at: "here")
        #expect(#expect(throws: StoreError.self) { try read.admit(schema) }?.code == .schemaTooNew)
    }

    @Test("a marker's summary admits what the marker does, and nothing once either was changed")
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
