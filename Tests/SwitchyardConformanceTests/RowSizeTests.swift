import Foundation
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import TestBackends
import Testing

@Suite("Rows that are too large for one backend")
struct RowSizeTests {
    @Model
    struct Album {
        let id: ID
        var a: Data?
        var b: Data?
        var c: Data?
        var d: Data?
        var e: Data?
    }

    private let photo = Data(count: Limits.valueBytes)

    @Test(
        "a row that is too large for one backend is refused by all before anything is written",
        arguments: TestBackend.available)
    func insertion(backend: TestBackend) async throws {
        try await backend.withStore(of: Album.self) { store in
            let album = Album(a: photo, b: photo, c: photo, d: photo, e: photo)
            for write in [
                { @Sendable (tx: WriteTransaction) in _ = try tx.insert(album) },
                { @Sendable (tx: WriteTransaction) in _ = try tx.upsert([album], on: \.id) },
                { @Sendable (tx: WriteTransaction) in _ = try tx.insert(contentsOf: [Album(), album]) },
                { @Sendable (tx: WriteTransaction) in
                    _ = try tx.insert(Album(id: album.id))
                    _ = try tx.update(
                        Album.all,
                        set: [
                            .set(\.a, to: album.a), .set(\.b, to: album.b), .set(\.c, to: album.c),
                            .set(\.d, to: album.d), .set(\.e, to: album.e),
                        ])
                },
            ] {
                let error = await #expect(throws: StoreError.self) { try await store.write(write) }
                #expect(error?.code == .valueNotRepresentable)
                #expect(error?.entity == "Album")
            }
            let isKept = try await store.read { try $0.exists(Album.all) }
            #expect(!isKept)
        }
    }
}
