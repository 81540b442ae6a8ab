import Foundation
import KeepTrack
import Switchyard
import SwitchyardJSON
import TestBackends
import Testing

@Suite("The import of JSON files in the first stage", .serialized)
struct ImportTests {
    private func counts(_ store: any Store) async throws -> [Int] {
        try await store.read { tx in
            [
                try tx.count(KeepTrackV2.Entry.all), try tx.count(KeepTrackV2.IntakeType.all),
                try tx.count(KeepTrackV2.Goal.all), try tx.count(KeepTrackV2.AppSettings.all),
            ]
        }
    }

    @Test(
        "an import keeps the ids, times and links of the files, and the files themselves",
        arguments: TestBackend.shared)
    func values(_ backend: TestBackend) async throws {
        let phone = try Phone(backend)
        try Files.write(to: phone.files)
        let before = try phone.fileStates
        try await phone.with { store, status in
            #expect(status.version == SchemaVersion(2))
            #expect(status.stages.map(\.to) == [SchemaVersion(1), SchemaVersion(2)])
            #expect(status.counts == ["entries": 2, "intake types": 1, "goals": 1, "settings": 1])
            #expect(status.entriesWithoutType == 1)
            #expect((status.backup != nil) == (backend == .sqlite))
            #expect("\(status)".contains("old files    imported: 2 entries, 1 intake types, 1 goals"))
            let id = try #require(UUID(uuidString: Files.tea))
            let tea = try await store.read { try $0.find(KeepTrackV2.Entry.ID(id)) }
            #expect(
                tea
                    == KeepTrackV2.Entry(
                        id: .init(id), date: Date(timeIntervalSinceReferenceDate: 690_000_000), units: "cups",
                        amount: 1.5, name: "Tea", goalMet: true))
            let goals = try await store.read { try $0.fetch(KeepTrackV2.Goal.all) }
            #expect(
                goals == [
                    KeepTrackV2.Goal(
                        id: .init(id), name: "Tea", description: "less",
                        dates: [700_000_000, 700_043_200.5].map { Date(timeIntervalSinceReferenceDate: $0) },
                        isActive: true, isCompleted: false, dosage: 2, units: "cups", frequency: .none)
                ])
        }
        #expect(try phone.fileStates == before)
    }

    @Test(
        "a second launch imports nothing, even after everything was deleted", arguments: TestBackend.shared)
    func again(_ backend: TestBackend) async throws {
        let phone = try Phone(backend)
        try Files.write(to: phone.files)
        try await phone.with { store, _ in
            try await store.write { tx in
                try tx.delete(KeepTrackV2.Entry.all)
                try tx.delete(KeepTrackV2.IntakeType.all)
                try tx.delete(KeepTrackV2.Goal.all)
            }
        }
        try await phone.with { store, status in
            #expect(status.stages.isEmpty)
            #expect("\(status)".contains("old files    imported before; not looked at"))
            let found = try await counts(store)
            #expect(found == [0, 0, 0, 1])
        }
    }

    @Test("exactly one of several concurrent launches imports", arguments: TestBackend.shared)
    func atOnce(_ backend: TestBackend) async throws {
        let phone = try Phone(backend)
        try Files.write(to: phone.files)
        let stages = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try await phone.with { $1.stages.count } } }
            return try await group.reduce(0, +)
        }
        #expect(stages == 2)
        let found = try await phone.with { store, _ in try await counts(store) }
        #expect(found == [2, 1, 1, 1])
    }

    @Test(
        "an unreadable file is an error; nothing is written, and the next launch imports all files",
        arguments: TestBackend.shared)
    func unreadable(_ backend: TestBackend) async throws {
        let phone = try Phone(backend)
        try Files.write(to: phone.files)
        // The last file of the three, cut off.
        try write(String(Files.goals.dropLast(20)), to: phone.files.goals)
        let before = try phone.fileStates
        for _ in 0..<2 {
            let error = await #expect(throws: JSONError.self) { try await phone.with { _, _ in } }
            #expect(error?.code == .truncated)
            #expect(error?.file == phone.files.goals)
        }
        #expect(try phone.fileStates == before)
        let store = try await Phone.registry().open(url: phone.url, schema: KeepTrackV0.self)
        let rows = try await store.read {
            try $0.count(KeepTrackV0.Entry.all) + $0.count(KeepTrackV0.IntakeType.all)
        }
        #expect(rows == 0)
        try await store.close()
        try write(Files.goals, to: phone.files.goals)
        let found = try await phone.with { store, _ in try await counts(store) }
        #expect(found == [2, 1, 1, 1])
    }

    @Test("two elements with the same id are refused, and nothing is imported")
    func duplicates() async throws {
        let phone = try Phone()
        try Files.write(to: phone.files)
        try write(Files.entries.replacing(Files.aspirin, with: Files.tea), to: phone.files.entries)
        let error = await #expect(throws: StoreError.self) { try await phone.with { _, _ in } }
        #expect(error?.code == .unique)
    }

    @Test("a store of version 0 with rows keeps them and ignores the files")
    func skipped() async throws {
        let phone = try Phone()
        try write("no JSON", to: phone.files.entries)
        let entry = KeepTrackV0.Entry(
            date: Date(timeIntervalSinceReferenceDate: 1), units: "mg", amount: 2, name: "Zinc",
            goalMet: false)
        let old = try await Phone.registry().open(url: phone.url, schema: KeepTrackV0.self)
        try await old.write { _ = try $0.insert(entry) }
        try await old.close()
        try await phone.with { store, status in
            #expect(status.settings?.files == .skipped)
            #expect("\(status)".contains("old files    skipped, as the store had rows"))
            let entries = try await store.read { try $0.fetch(KeepTrackV2.Entry.all) }
            #expect(entries.map(\.id.uuid) == [entry.id.uuid])
            let found = try await counts(store)
            #expect(found == [1, 0, 0, 1])
        }
    }

    @Test("empty and missing files are empty lists; a missing directory is an error")
    func missing() async throws {
        let phone = try Phone()
        try write("", to: phone.files.entries)
        let found = try await phone.with { store, _ in try await counts(store) }
        #expect(found == [0, 0, 0, 1])
        let other = try Phone()
        try FileManager.default.removeItem(at: other.directory.appending(path: "Documents"))
        await #expect(throws: JSONError.self) { try await other.with { _, _ in } }
    }

    @Test("a store of an unknown version is an error, and is unchanged")
    func unknownVersion() async throws {
        enum Next: VersionedSchema {
            static let version = SchemaVersion(3)
            static let models = KeepTrackV2.models
        }
        let phone = try Phone()
        try await phone.with { _, _ in }
        let later = try Phone()
        let store = try await Phone.registry().open(url: later.url, schema: Next.self)
        try await store.write {
            _ = try $0.insert(
                KeepTrackV2.IntakeType(
                    name: "Tea", unit: "", amount: 1, descrip: "", frequency: .daily))
        }
        try await store.close()
        let error = await #expect(throws: StoreError.self) { try await later.with { _, _ in } }
        #expect(error?.code == .schemaTooNew)
        let again = try await Phone.registry().open(url: later.url, schema: Next.self)
        #expect(try await again.read { try $0.count(KeepTrackV2.IntakeType.all) } == 1)
        try await again.close()
    }
}
