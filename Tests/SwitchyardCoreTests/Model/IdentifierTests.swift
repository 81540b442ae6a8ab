import Foundation
import SwitchyardCore
import Testing

@Suite("A new id")
struct IdentifierTests {
    typealias ID = Identifier<ModelFixture.Folder>

    private func bytes(_ id: ID) -> [UInt8] { withUnsafeBytes(of: id.uuid.uuid) { Array($0) } }

    @Test("a new id is a UUID of version 7, which begins with the milliseconds since 1970")
    func layout() {
        let before = Date().timeIntervalSince1970
        let id = bytes(ID())
        let after = Date().timeIntervalSince1970
        #expect(id[6] >> 4 == 7)
        #expect(id[8] >> 6 == 0b10)
        let milliseconds = id[..<6].reduce(0) { $0 << 8 | Int($1) }
        // Ids of other tests, made in the same moment, may be ahead of the clock by a little.
        #expect((Int(before * 1000)...Int(after * 1000) + 100).contains(milliseconds))
    }

    @Test("a new id sorts after earlier ones, and differs from those of other tasks")
    func order() async {
        let all = await withTaskGroup(of: [ID].self) { tasks in
            for _ in 0..<8 { tasks.addTask { (0..<10_000).map { _ in ID() } } }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        for ids in all {
            #expect(zip(ids, ids.dropFirst()).allSatisfy { bytes($0).lexicographicallyPrecedes(bytes($1)) })
        }
        // The upper half alone, without the random bits, tells them apart.
        #expect(Set(all.joined().map { Array(bytes($0)[..<8]) }).count == 80_000)
    }

    @Test("a derived id follows RFC 9562's version 5, the same each time")
    func derived() throws {
        let source = try #require(Identifier<ModelFixture.Draft>("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        #expect("\(ID(derivedFrom: source, "artist", "5"))" == "50f9caff-60f5-55e2-a859-9f0db6ff01f8")
        #expect("\(ID(derivedFrom: source))" == "3a332da2-150b-5761-b9ad-6084b75a3c80")
        #expect("\(ID(derivedFrom: source, "süß \"x\""))" == "ec41b5b6-2597-5e82-ae7b-03f322303838")
    }
}
