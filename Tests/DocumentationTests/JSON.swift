import Foundation
import Switchyard
import SwitchyardJSON
import Testing

@Suite("The article on JSON")
struct JSONArticle {
    nonisolated struct OldFilm: Decodable {
        let id: UUID
        let title: String
        let released: Date
    }

    private func withPath<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    @Test("a store is backed up and restored as JSON")
    func backup() async throws {
        let store = try await cinema()
        try await withPath { path in
            let backup = JSONBackup(keys: ["Director": "directors", "Film": "films"])
            let counts = try await backup.write(store, toPath: path)
            #expect(counts["Director"] == 2)
            let report = try await backup.restore(fromPath: path, into: store, mode: .merge)
            #expect(report["Director"]?.updated == 2)
            #expect(report["Director"]?.inserted == 0)
        }
    }

    @Test("an older release's file is imported")
    func records() async throws {
        let store = try await cinema()
        try await withPath { path in
            @Sendable func importFilms(_ tx: WriteTransaction) throws -> Int {
                guard let file = try JSONRecords.ifPresent(path) else { return 0 }
                return try file.forEach(OldFilm.self) { old in
                    let year = Calendar(identifier: .gregorian).component(.year, from: old.released)
                    try tx.insert(Film(id: Film.ID(old.id), title: old.title, year: year))
                }
            }
            #expect(try await store.write { try importFilms($0) } == 0)
            let file = #"[{"id": "0193A1B2-0000-7000-8000-000000000001", "title": "Faces", "released": 5e8}]"#
            try Data(file.utf8).write(to: URL(filePath: path))
            #expect(try await store.write { try importFilms($0) } == 1)
            let years = try await store.read { tx in
                try tx.fetch(Film.where(#Predicate { $0.title == "Faces" })).map(\.year)
            }
            #expect(years == [2016])
        }
    }
}
