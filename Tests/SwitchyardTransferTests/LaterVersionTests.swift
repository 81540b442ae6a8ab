import SwitchyardCore
import SwitchyardTransfer
import TestBackends
import Testing

/// An app that was updated while its store was being switched, or after it.
@Suite("Switches between two versions of the schema")
struct LaterVersionTests {
    private func schema(_ version: Int) throws -> Schema {
        try Schema(
            version: SchemaVersion(version),
            entities: [
                Entity(
                    "Note",
                    attributes: [Attribute("id", type: .uuid), Attribute("text", type: .text)]
                        + (version > 1 ? [Attribute("more", type: .text, isOptional: true)] : []))
            ] + (version > 1 ? [Entity("Tag", attributes: [Attribute("id", type: .uuid)])] : []))
    }

    /// Places that the first version of an app opens, and the same ones as a later version does.
    private func withPlaces(
        _ from: TestBackend, _ to: TestBackend,
        _ body: (_ old: (StorePlace, StorePlace), _ new: (StorePlace, StorePlace)) async throws -> Void
    ) async throws {
        let (one, two) = (try schema(1), try schema(2))
        func both(_ location: String, _ open: @escaping TestBackend.Opener) -> (StorePlace, StorePlace) {
            (
                StorePlace(location) { try await open(one, $0) },
                StorePlace(location) { try await open(two, $0) }
            )
        }
        try await from.withPlace { old in
            try await to.withPlace { new in try await body(both("sqlite:old", old), both("sqlite:new", new)) }
        }
    }

    @Test(
        "the later version aborts a rehearsal that it cannot continue",
        arguments: TestBackend.pairs)
    func givenUp(from: TestBackend, to: TestBackend) async throws {
        try await withPlaces(from, to) { old, new in
            try await old.0.with { try await Notes.add(["first"], to: $0) }
            try await StoreSwitch(from: old.0, to: new.0).rehearse()
            let change = StoreSwitch(from: old.1, to: new.1)
            #expect(try await change.status().phase == .rehearsing)
            let error = await #expect(throws: StoreError.self) { _ = try await change.run() }
            #expect(error?.code == .schemaMismatch)
            try await change.abort()
            #expect(try await change.status().phase == .aborted)
            #expect(try await new.1.marker()?.switching?.state == .aborted)
            try await old.0.with { try await Notes.add(["second"], to: $0) }
        }
    }

    @Test("the later version completes a committed switch without comparing the old rows")
    func tidiedUp() async throws {
        for backend in TestBackend.available {
            try await withPlaces(backend, .sqlite) { old, new in
                try await old.0.with { try await Notes.add(["first"], to: $0) }
                try await StoreSwitch(from: old.0, to: new.0).stop(at: .committed)
                let change = StoreSwitch(from: old.1, to: new.1)
                let error = await #expect(throws: StoreError.self) { _ = try await change.run() }
                #expect(error?.code == .schemaMismatch)
                #expect(error?.message.hasPrefix("The switch is committed") == true)
                let marker = try await old.1.marker()
                #expect(marker?.switching?.state == .committed)
            }
        }
    }

    @Test("the later version reports that the old store took writes again")
    func lostFence() async throws {
        try await withPlaces(.memory, .sqlite) { old, new in
            try await old.0.with { try await Notes.add(["first"], to: $0) }
            try await StoreSwitch(from: old.0, to: new.0).stop(at: .committed)
            try await old.0.unfence()
            let error = await #expect(throws: StoreError.self) {
                _ = try await StoreSwitch(from: old.1, to: new.1).run()
            }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("Rows may be in the old store and nowhere else") == true)
            let marker = try await old.1.marker()
            #expect(marker?.switching?.state == .committed)
        }
    }

    @Test("the later version finds the data behind a backup of the first", arguments: TestBackend.available)
    func found(backend: TestBackend) async throws {
        try await withPlaces(backend, .sqlite) { old, new in
            try await old.0.with { try await Notes.add(["first"], to: $0) }
            _ = try await StoreSwitch(from: old.0, to: new.0).run()
            for access in [OpenOptions.Access.readOnly, .readWrite] {
                let error = await #expect(throws: StoreError.self) {
                    _ = try await SwitchableStore.open(old.1, options: OpenOptions(access: access)) { _ in
                        new.1
                    }
                }
                // It came as far as the new store, which is what there is to migrate.
                #expect(error?.code == .schemaMismatch)
                let store = try await SwitchableStore.open(old.1, options: OpenOptions(access: access)) { _ in
                    new.0
                }
                #expect(store.location == new.0.location)
                #expect(try await Notes.all(in: store) == ["first"])
                try await store.close()
            }
            try await StoreSwitch(from: old.1, to: new.1).retire()
            #expect(try await old.1.marker()?.role == .retired)
        }
    }
}
