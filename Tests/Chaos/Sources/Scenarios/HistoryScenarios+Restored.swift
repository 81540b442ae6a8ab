import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance

extension HistoryScenarios {
    /// Stores that come back as they were: a token that was taken later leads nowhere, wherever they go from there.
    static let restored = Scenario(
        name: "history-restored",
        summary: "files and databases are replaced by older copies; tokens come from later", usualCount: 4
    ) { trial in
        var generator = SeededGenerator(seed: trial.seed)
        var files = 0
        while trial.effort.goesOn(after: files) {
            try await restoreFile(trial.report, &generator)
            files += 1
        }
        trial.report.count("files restored", files)
        guard let server = PostgresServer.url else { return }
        let effort = trial.effort.restarted
        var databases = 0
        while effort.goesOn(after: databases) {
            try await restoreDatabase(on: server, trial.report, &generator)
            databases += 1
        }
        trial.report.count("databases restored", databases)
    }

    private static func restoreFile(_ report: Report, _ generator: inout SeededGenerator) async throws {
        try await Scratch.with { scratch in
            let (file, backup) = (scratch.file("marks.sqlite"), scratch.file("backup"))
            let store = try await Backends.open("sqlite:\(file)", MarkSchema.self, keepsHistory: true)
            var restoration = Restoration(store, report: report)
            try await restoration.write(Int.random(in: 0...5, using: &generator))
            try await restoration.store.close()
            try FileManager.default.copyItem(atPath: file, toPath: backup)
            restoration.store = try await Backends.open("sqlite:\(file)", MarkSchema.self)
            try await restoration.writeWhatWillBeLost(Int.random(in: 1...5, using: &generator))
            try await restoration.store.close()
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.copyItem(atPath: backup, toPath: file)
            restoration.store = try await Backends.open("sqlite:\(file)", MarkSchema.self)
            try await restoration.goAnotherWay()
            try await restoration.store.close()
        }
    }

    /// Restores a database under a store that is open.
    private static func restoreDatabase(
        on server: String, _ report: Report, _ generator: inout SeededGenerator
    ) async throws {
        let (database, backup) = (PostgresServer.newSchemaName(), PostgresServer.newSchemaName())
        guard var url = URLComponents(string: server) else { return }
        url.path = "/\(database)"
        let place = url.string ?? ""
        func drop(_ name: String) async throws {
            try await PostgresServer.administer("DROP DATABASE \(name) WITH (FORCE)")
        }
        do {
            try await PostgresServer.administer("CREATE DATABASE \(database)")
            let store = try await Backends.open(place, MarkSchema.self, keepsHistory: true)
            var restoration = Restoration(store, report: report)
            try await restoration.write(Int.random(in: 0...5, using: &generator))
            // A database with connections cannot be copied.
            try await restoration.store.close()
            try await PostgresServer.administer("CREATE DATABASE \(backup) TEMPLATE \(database)")
            restoration.store = try await Backends.open(place, MarkSchema.self)
            try await restoration.writeWhatWillBeLost(Int.random(in: 1...5, using: &generator))
            try await drop(database)
            try await PostgresServer.administer("ALTER DATABASE \(backup) RENAME TO \(database)")
            try await restoration.goAnotherWay()
            try await restoration.store.close()
        } catch {
            for name in [database, backup] { try? await drop(name) }
            throw error
        }
        try await drop(database)
    }
}

/// A store that is restored from a copy, with the tokens that were taken before and after the copy.
private struct Restoration {
    var store: any Store
    private let report: Report
    /// The ids of the marks that are there, in order, without the lost ones.
    private var marks: [UUID] = []
    /// Each with the number of marks before it.
    private var tokens: [(token: Data, marks: Int)] = []
    private var lostTokens: [Data] = []

    init(_ store: any Store, report: Report) {
        self.store = store
        self.report = report
    }

    mutating func write(_ count: Int) async throws {
        try await keepToken()
        for _ in 0..<count {
            marks.append(try await writeMark())
            try await keepToken()
        }
    }

    mutating func writeWhatWillBeLost(_ count: Int) async throws {
        for _ in 0..<count {
            _ = try await writeMark()
            lostTokens.append(try await token())
        }
    }

    /// Writes to the restored store until its history is longer than it was, and then prunes it.
    mutating func goAnotherWay() async throws {
        for _ in 0..<lostTokens.count + 3 {
            try await expectRefusals([.historyAhead])
            for (token, count) in tokens {
                let news = try await history(after: token).map(\.id)
                if news != Array(marks.dropFirst(count)) {
                    report.violation(
                        "\(news.count) of \(marks.count - count) changes after a token that holds")
                }
                report.count("tokens that hold")
            }
            try await write(1)
        }
        try await store.pruneHistory(keepingLast: 1)
        // Whether what is not kept any more was what the token knew, nobody can tell.
        try await expectRefusals([.historyAhead, .historyPruned])
    }

    private func expectRefusals(_ codes: Set<StoreError.Code>) async throws {
        for token in lostTokens {
            do {
                let news = try await history(after: token)
                report.violation("a token from later is answered with \(news.count) changes")
            } catch let error as StoreError where codes.contains(error.code) {
                report.count("tokens refused as \(error.code)")
            }
        }
    }

    private func writeMark() async throws -> UUID {
        let mark = Mark(position: 0, pause: 0)
        try await store.write { _ = try $0.insert(mark) }
        return mark.id.uuid
    }

    private mutating func keepToken() async throws {
        tokens.append((try await token(), marks.count))
    }

    private func token() async throws -> Data {
        try JSONEncoder().encode(try await store.read { try $0.historyToken() })
    }

    private func history(after token: Data) async throws -> [HistoryChange] {
        let token = try JSONDecoder().decode(HistoryToken.self, from: token)
        let news = try await store.read { try $0.history(after: token) }
        return try news.flatMap { try $0.changes.all() }
    }
}
