import Foundation
import Switchyard
import Testing

@Suite("A model that is Codable by its macro")
struct EncodedModelTests {
    private static let id = Feed.ID(UUID(uuid: (7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    private static let text = """
        {"amount":{"double":"0.5"},"baby":{"null":null},"cost":{"decimal":"4.99"},"count":{"int":"3"},\
        "endTime":{"null":null},"id":{"uuid":"07000000-0000-0000-0000-000000000001"},"kind":{"text":"solid"},\
        "memo":{"text":"Brei"},"spare":{"null":null},"startTime":{"timestamp":"1767225660000000"},\
        "tags":{"json":"[\\"a\\"]"}}
        """

    @Test("an encoded model has its attributes by name, as stored values")
    func encodes() throws {
        let feed = Feed(
            id: Self.id, startTime: time(60), amount: 0.5, kind: .solid, count: 3,
            cost: Decimal(string: "4.99"),
            memo: "Brei", tags: ["a"])
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(feed), as: UTF8.self) == Self.text)
    }

    @Test("a model decodes from its own encoding")
    func decodes() throws {
        let feed = try JSONDecoder().decode(Feed.self, from: Data(Self.text.utf8))
        #expect(feed.id == Self.id)
        #expect(feed.baby == nil)
        #expect(feed.startTime == time(60))
        #expect(feed.endTime == nil)
        #expect(feed.amount == 0.5)
        #expect(feed.kind == .solid)
        #expect(feed.count == 3)
        #expect(feed.cost == Decimal(string: "4.99"))
        #expect(feed.memo == "Brei")
        #expect(feed.tags == ["a"])
    }

    @Test(
        "a model refuses to decode values that its attributes cannot hold",
        arguments: [("\"text\":\"solid\"", "\"text\":\"lunch\""), ("\"int\":\"3\"", "\"text\":\"3\"")])
    func refuses(value: String, other: String) throws {
        let text = Self.text.replacing(value, with: other)
        let error = #expect(throws: StoreError.self) {
            try JSONDecoder().decode(Feed.self, from: Data(text.utf8))
        }
        #expect(error?.code == .corrupted)
    }

    @Test("a model refuses to decode without one of its attributes")
    func incomplete() throws {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                Feed.self, from: Data(Self.text.replacing("\"count\"", with: "\"counts\"").utf8))
        }
    }
}
