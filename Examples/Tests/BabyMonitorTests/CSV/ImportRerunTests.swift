import BabyMonitorKit
import Dispatch
import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

@Suite("An import that is run again after a conflict")
struct ImportRerunTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "rerun-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private static let rows = 2000
    private static let text =
        "babyName,timestamp,amountValue,amountUnit\n"
        + (0..<rows).map { second in
            let (minutes, seconds) = second.quotientAndRemainder(dividingBy: 60)
            let time = "2025-11-06T18:\(minutes / 10)\(minutes % 10):\(seconds / 10)\(seconds % 10).000Z"
            return "Mia,\(time),\(second).0,mL\n"
        }.joined()

    @Test(
        "an import that runs again imports all of a pipe that is already consumed",
        arguments: TestBackend.available)
    func pipe(backend: TestBackend) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let pipe = directory.appending(path: "pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        Thread { try? Data(Self.text.utf8).write(to: pipe, options: []) }.start()
        try await backend.withStore { (store: any Store) async throws in
            _ = try await store.add("Mia")
            let input = try CSVInput.file(pipe.path)
            let service = HistoryCSVService(store: RerunStore(base: store))
            var expected = ImportReport()
            expected.insertedFeeds = Self.rows
            #expect(try await service.importFile(.feeds, from: input) == expected)
            #expect(try await store.feeds().count == Self.rows)
        }
    }

    @Test(
        "an import that runs again reads the original file, although another one has its name",
        arguments: TestBackend.available)
    func replaced(backend: TestBackend) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "feeds.csv")
        try Data(Self.text.utf8).write(to: file)
        try await backend.withStore { (store: any Store) async throws in
            _ = try await store.add("Mia")
            let conflicting = RerunStore(base: store) {
                try Data("babyName,timestamp\n".utf8).write(to: file, options: .atomic)
            }
            let report = try await HistoryCSVService(store: conflicting).importFile(
                .feeds, from: try .file(file.path))
            #expect(report.insertedFeeds == Self.rows)
        }
    }

    @Test(
        "an import that runs again refuses a file that was changed in place", arguments: TestBackend.available
    )
    func changed(backend: TestBackend) async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "feeds.csv")
        try Data(Self.text.utf8).write(to: file)
        try await backend.withStore { (store: any Store) async throws in
            _ = try await store.add("Mia")
            let conflicting = RerunStore(base: store) {
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 1000)
                try handle.close()
            }
            let error = await #expect(throws: CSVError.self) {
                try await HistoryCSVService(store: conflicting).importFile(
                    .feeds, from: try .file(file.path))
            }
            #expect(error?.code == .changed)
            #expect(try await store.feeds().isEmpty)
        }
    }

    @Test(
        "PostgreSQL runs an import again when another client has written what it looked up",
        .enabled(if: TestBackend.available.contains(.postgres), "needs a server"))
    func realConflict() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let pipe = directory.appending(path: "pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        Thread { try? Data(Self.text.utf8).write(to: pipe, options: []) }.start()
        try await TestBackend.postgres.withStore { (store: any Store) async throws in
            let mia = try await store.add("Mia")[0]
            let runs = Mutex(0)
            let report = try await HistoryCSVService(store: store).importFile(
                .feeds, from: try .file(pipe.path),
                onProgress: { _ in
                    let run = runs.withLock { runs in
                        runs += 1
                        return runs
                    }
                    guard run == 1 else { return }
                    // The import has its snapshot and has not looked for feeds yet. Its thread may wait.
                    let done = DispatchSemaphore(value: 0)
                    Task {
                        defer { done.signal() }
                        try await store.write { transaction in
                            #expect(try transaction.count(FeedSession.all) == 0)
                            try transaction.insert(
                                FeedSession(startTime: time("2025-11-06T18:00:00Z"), profile: mia.id))
                        }
                    }
                    done.wait()
                })
            #expect(runs.withLock { $0 } >= 2)
            #expect(report.insertedFeeds == Self.rows - 1)
            #expect(report.updatedFeeds == 1)
            #expect(try await store.feeds().count == Self.rows)
        }
    }
}
