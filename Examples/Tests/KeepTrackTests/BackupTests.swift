import Foundation
import KeepTrack
import Switchyard
import SwitchyardJSON
import TestBackends
import Testing

@Suite("The app's backup as a JSON document", .serialized)
struct BackupTests {
    @Test(
        "the backup has the app's own keys, and is restored on every backend", arguments: TestBackend.shared)
    func roundTrip(_ backend: TestBackend) async throws {
        let phone = try Phone(backend)
        try Files.write(to: phone.files)
        let path = phone.directory.appending(path: "Documents/backup.json").path
        let entries = try await phone.with { store, _ in
            let counts = try await KeepTrackStore.backup.write(store, toPath: path)
            #expect(counts == ["Entry": 2, "IntakeType": 1, "Goal": 1, "AppSettings": 1])
            return try await store.read { try $0.fetch(KeepTrackV2.Entry.all) }
        }
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any])
        #expect(
            document.keys.sorted() == [
                "entries", "exportDate", "goals", "intakeTypes", "schema", "settings", "version",
            ])
        let first = (document["entries"] as? [[String: Any]])?.first
        #expect(first?["date"] as? String == "2022-11-13T02:40:00.000Z")

        let other = try Phone(backend)
        for url in ["memory:", try other.url] {
            let store = try await Phone.registry().open(url: url, schema: KeepTrackV2.self)
            try await store.write {
                _ = try $0.insert(
                    KeepTrackV2.Entry(date: .now, units: "", amount: 1, name: "", goalMet: false))
            }
            let merged = try await KeepTrackStore.backup.restore(fromPath: path, into: store, mode: .merge)
            #expect(merged["Entry"]?.inserted == 2)
            #expect(try await store.read { try $0.count(KeepTrackV2.Entry.all) } == 3)
            let again = try await KeepTrackStore.backup.restore(fromPath: path, into: store, mode: .merge)
            #expect(again["Entry"]?.inserted == 0)
            #expect(again["Entry"]?.updated == 2)
            try await KeepTrackStore.backup.restore(fromPath: path, into: store, mode: .replace)
            #expect(try await store.read { try $0.fetch(KeepTrackV2.Entry.all) } == entries)
            try await store.close()
        }
    }

    @Test("a document without settings keeps those of the device")
    func withoutSettings() async throws {
        let phone = try Phone()
        let path = phone.directory.appending(path: "Documents/backup.json").path
        try write(
            #"{"version": 1, "exportDate": "2026-11-24T08:30:00Z", "entries": [], "intakeTypes": [], "goals": []}"#,
            to: path)
        try await phone.with { store, _ in
            try await KeepTrackStore.backup.restore(fromPath: path, into: store, mode: .replace)
            #expect(try await store.read { try $0.count(KeepTrackV2.AppSettings.all) } == 1)
        }
    }
}
