import PostgresTestServer
import Switchyard
import SwitchyardConformance

extension SwitchScenarios {
    /// A store of many scopes, as many as `--rows` says, that goes to a server and back.
    ///
    /// What is of interest is how long that takes.
    static let scopes = Scenario(
        name: "switch-scopes", summary: "a store of many scopes goes to a server and back", usualCount: 1
    ) { trial in
        let scopes = (0..<(trial.rows > 0 ? trial.rows : 200)).map { _ in StoreScope() }
        let server = try ServerScenarios.serverURL
        try await Scratch.with { scratch in
            try await PostgresServer.withSchemaName { name in
                let (first, between) = ("sqlite:\(scratch.file("first.sqlite"))", "\(server)&schema=\(name)")
                let last = "sqlite:\(scratch.file("last.sqlite"))"
                try await fill(first, scopes)
                for (old, new) in [(first, between), (between, last)] {
                    let start = ContinuousClock.now
                    let ending = try await SwitchAttempt(.shelf, old, new, in: scratch).ended
                    guard ending.isDone else { return ending.report(to: trial.report) }
                    trial.report.figure(
                        "a switch of \(scopes.count) scopes took \(ContinuousClock.now - start)")
                    trial.report.count("switches")
                }
                try await compare(first, last, scopes, trial.report)
            }
        }
    }

    /// Makes a store with a shelf in each scope, and two books on it, one the sequel of the other.
    private static func fill(_ url: String, _ scopes: [StoreScope]) async throws {
        let store = try await Backends.open(url, ShelfSchema.self, keepsHistory: true, scope: scopes[0])
        for scope in scopes {
            try await store.write(WriteOptions(scope: scope)) { tx in
                let shelf = try tx.insert(Shelf(name: "\(scope)"))
                let book = try tx.insert(Book(number: 1, shelf: shelf.id, title: ""))
                try tx.insert(Book(number: 2, shelf: shelf.id, sequel: book.id, title: "\(scope)"))
            }
        }
        try await store.close()
    }

    /// Checks that each scope has its rows in both stores.
    private static func compare(
        _ old: String, _ new: String, _ scopes: [StoreScope], _ report: Report
    ) async throws {
        let (left, right) = try await (
            Backends.open(
                old, ShelfSchema.self, access: .readOnly, createsIfMissing: false, scope: scopes[0]),
            Backends.open(new, ShelfSchema.self, createsIfMissing: false, scope: scopes[0])
        )
        for scope in scopes {
            for (entity, count) in [("Shelf", 1), ("Book", 2)] {
                let rows = try await (
                    left.read(ReadOptions(scopes: [scope])) { try $0.fetchRows(of: entity) },
                    right.read(ReadOptions(scopes: [scope])) { try $0.fetchRows(of: entity) }
                )
                if rows.0 != rows.1 || rows.0.count != count {
                    report.violation(
                        "\(rows.0.count) rows of \(entity) in the scope \(scope), and \(rows.1.count) others")
                }
                report.count("rows", rows.1.count)
            }
        }
        for fault in try await right.check() { report.violation("check: \(fault)") }
        try await left.close()
        try await right.close()
    }
}
