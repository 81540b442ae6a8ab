import Foundation
import PostgresStore
import SQLiteStore
import Switchyard
import SwitchyardMirror
import Testing

@Suite("The article on the mirror")
struct MirrorArticle {
    @Test("a mirrored store opens before its server can be reached")
    func opening() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (path, url) = (
            directory.appending(path: "cinema.sqlite").path, "postgres://nobody@127.0.0.1:1/cinema"
        )

        let plugins = try PluginRegistry([SQLitePlugin.self, PostgresPlugin.self])
        let local = try await plugins.open(url: "sqlite:\(path)", schema: CinemaSchema.self)
        let place = StorePlace(url: url, registry: plugins, schema: try CinemaSchema.schema)
        let store = try await MirroredStore.open(local, mirroring: .direct(place), device: "Mia's phone")

        try await store.write { try $0.insert(Film(title: "Ran", year: 1985)) }
        await #expect(throws: StoreError.self) { try await store.exchange() }
        #expect(store.status.phase == .waiting)
        #expect(try await store.mirrorConflicts().isEmpty)
        try await store.close()
    }

    /// It is compiled only: the loops run as long as there is something to show.
    private func watching(_ store: MirroredStore) async throws {
        for await status in store.statuses() where status.phase == .waiting {
            print(status.pending, "writes wait:", status.problem?.message ?? "")
        }
        for conflict in try await store.mirrorConflicts() where conflict.entity == "Film" {
            try await store.restore(conflict)  // writes the values that were not kept; or dismiss(_:)
        }
        for rejected in try await store.rejectedWrites() {
            try await store.discard(rejected)  // or retry(_:), which makes the write again
        }
    }

    /// It is compiled only: a service answers elsewhere.
    private func inviting(_ store: MirroredStore, _ share: (String) -> Void) async throws {
        let link = try await store.invite(.member)
        share(link.text)  // switchyard://join/…
    }

    /// Shows what a device knows of its membership.
    private func showing(_ store: any Store) async throws {
        func show(_ name: String?, _ role: HouseholdRole?, until end: Date?) {}
        if let membership = try await store.membership() {
            show(membership.member?.name, membership.member?.role, until: membership.member?.ends)
        }
    }

    /// It is compiled only as well.
    private func joining(_ local: any Store, _ text: String) async throws -> (Household, MirroredStore) {
        let household = try await local.join(try HouseholdLink(text), as: "Ben", device: "Ben's phone")
        let store = try await MirroredStore.open(local, mirroring: .joined)
        return (household, store)
    }
}
