import MemoryStore
import Switchyard
import SwitchyardCore
import Synchronization
import Testing

private enum Names1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Kind.self]

    @Model
    struct Kind {
        let id: ID
        var name: String
        var age: Int
    }
}

private enum Names2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Kind.self]

    @Model
    struct Kind {
        #Unique<Kind>([\.name])

        let id: ID
        var name: String
        var age: Int
        var isOld: Bool = true
    }
}

@Suite("The changes of tables that a driver is given")
struct TableChangeTests {
    @Test("have the entities of the schema that they lead to, also while a unique constraint is awaited")
    func fitting() async throws {
        let open = MemoryStore.opener()
        try await open(try Names1.schema, OpenOptions()).close()
        let plan = try MigrationPlan(
            [Names1.self, Names2.self],
            [
                .lightweight(
                    fromVersion: Names1.self, toVersion: Names2.self,
                    .deduplicate(Names2.Kind.self, keepingLeast: \Names2.Kind.age))
            ])
        let seen = Mutex<[String]>([])
        let report: @Sendable (TableChange, Schema) -> Void = { change, schema in
            guard let new = change.new else { return }
            let constraints = schema.entity(new.name)?.uniqueConstraints.count ?? -1
            seen.withLock { $0.append("\(new.uniqueConstraints.count) of \(constraints)") }
        }
        let store = try await plan.open(
            OpenOptions(), status: { _ in },
            { ChangeReportingStore(base: try open($0, $1), report: report) })
        try await store.close()
        #expect(seen.withLock(\.self) == ["0 of 0", "1 of 1"])
    }
}

/// A store that reports the changes of tables, with the schema that they lead to.
private struct ChangeReportingStore: WrappingStore {
    let base: any Store
    let report: @Sendable (TableChange, Schema) -> Void

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await base.write(options) { [report] tx in
            try WriteTransaction.run(
                schema: tx.schema, driver: ChangeReporter(tx.driver, report), session: nil, body)
        }
    }
}

private final class ChangeReporter: InterceptingDriver {
    private let report: (TableChange, Schema) -> Void

    init(_ base: any TransactionDriver, _ report: @escaping (TableChange, Schema) -> Void) {
        self.report = report
        super.init(base)
    }

    override func view(of schema: Schema) throws -> any TransactionDriver {
        ChangeReporter(try base.view(of: schema), report)
    }

    override func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        for change in changes { report(change, schema) }
        try super.change(changes, to: schema, filling: fill)
    }
}
