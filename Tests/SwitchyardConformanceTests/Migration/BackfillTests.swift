import Foundation
import Switchyard
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

private enum Log1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Entry.self]

    @Model
    struct Entry {
        let id: ID
        var text: String
        var number: Int
    }
}

private enum Log2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Entry.self]

    @Model
    struct Entry {
        #Unique<Entry>([\.number])

        let id: ID
        @Attribute(.searchable) var text: String
        var number: Int
        var double: Int = -1
    }
}

private enum Log3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Entry.self]

    @Model
    struct Entry {
        #Unique<Entry>([\.number])

        let id: ID
        @Attribute(.searchable) var text: String
        var number: Int
        var double: Int = -1
        var note: String?
    }
}

private struct Stop: Error {}

/// The number of times that the calculation was asked for, and the row at which it fails.
private final class Calls: Sendable {
    let numbers = Mutex<[Int]>([])
    let failsAt: Mutex<Int?>

    init(failsAt: Int? = nil) { self.failsAt = Mutex(failsAt) }

    func double(_ number: Int) throws -> Int {
        if number == failsAt.withLock({ $0 }) { throw Stop() }
        numbers.withLock { $0.append(number) }
        return 2 * number
    }

    func plan(upTo newest: Int = 2) throws -> MigrationPlan {
        let stages: [MigrationStage] = [
            .lightweight(
                fromVersion: Log1.self, toVersion: Log2.self, .refuseDuplicates(Log2.Entry.self),
                .backfill(\Log2.Entry.double) { try self.double($0.number) },
                .backfill(\Log2.Entry.text) { "\($0.text): \($0.double)" }),
            .lightweight(fromVersion: Log2.self, toVersion: Log3.self),
        ]
        let versions: [any VersionedSchema.Type] = [Log1.self, Log2.self, Log3.self]
        return try MigrationPlan(Array(versions[..<newest]), Array(stages[..<(newest - 1)]))
    }
}

@Suite("Backfills")
struct BackfillTests {
    /// More than two transactions fill.
    private static let count = 20_500

    private func make(
        _ open: TestBackend.Opener, _ count: Int = count, in scopes: [StoreScope] = [],
        keepsHistory: Bool = false
    ) async throws {
        let options = OpenOptions(scope: scopes.first, keepsHistory: keepsHistory)
        try await open(try Log1.schema, options).closing { store in
            for scope in scopes.isEmpty ? [nil] : scopes.map(Optional.some) {
                try await store.write(WriteOptions(scope: scope)) { tx in
                    try tx.insert(contentsOf: (0..<count).lazy.map { Log1.Entry(text: "entry", number: $0) })
                }
            }
        }
    }

    private func requireFilled(
        _ store: any Store, _ count: Int = count, in scope: StoreScope? = nil
    ) async throws {
        let entries = try await store.read(scope.map { ReadOptions(scopes: [$0]) } ?? ReadOptions()) {
            try $0.fetch(Log2.Entry.all.sorted(by: \.number))
        }
        #expect(entries.map(\.number) == Array(0..<count))
        #expect(entries.allSatisfy { $0.double == 2 * $0.number })
        #expect(entries.allSatisfy { $0.text == "entry: \(2 * $0.number)" })
    }

    @Test(
        "a backfill gives each row its value, and the store is active afterwards",
        arguments: TestBackend.available)
    func filled(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await make(open)
            let told = Mutex<[MigrationStatus]>([])
            let store = try await Calls().plan().open(
                OpenOptions(), status: { status in told.withLock { $0.append(status) } }, open)
            try await store.closing { store in
                try await requireFilled(store)
                let found = try await store.read {
                    try $0.fetch(
                        Log2.Entry.where(#Predicate { $0.text.localizedStandardContains("ENTRY: 14") }))
                }
                #expect(found.count == 556)
                let marker = try await store.marker()
                #expect(marker.role == .active)
                #expect(marker.backfill == nil)
                let faults = try await store.check()
                #expect(faults == [])
            }
            let statuses = told.withLock { $0 }
            let fractions = statuses.compactMap { status in
                if case .inProgress(let progress) = status { progress.fraction } else { nil }
            }
            #expect(fractions.count >= 6)
            #expect(fractions == fractions.sorted())
            #expect(fractions.contains(0.5))
            #expect(fractions.allSatisfy { (0...1).contains($0) })
            guard case .completed(let report) = statuses.last else {
                Issue.record("The last status is \(String(describing: statuses.last))")
                return
            }
            #expect(report.filled == ["Entry.double": Self.count, "Entry.text": Self.count])
            #expect(report.stages.map(\.to) == [SchemaVersion(2)])
        }
    }

    @Test(
        "a failed backfill leaves a store that only opens to continue, and continues",
        arguments: TestBackend.available)
    func resumed(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await make(open)
            let calls = Calls(failsAt: 11_000)
            await #expect(throws: Stop.self) { try await calls.plan().open(open) }
            for options in [OpenOptions(), OpenOptions(access: .readOnly)] {
                let error = await #expect(throws: StoreError.self) {
                    try await open(try Log2.schema, options)
                }
                #expect(error?.code == .migrationUnfinished)
            }
            let old = await #expect(throws: StoreError.self) {
                try await open(try Log1.schema, OpenOptions())
            }
            #expect(old?.code == .schemaTooNew)
            let reading = await #expect(throws: StoreError.self) {
                try await calls.plan().open(open, OpenOptions(access: .readOnly))
            }
            #expect(reading?.code == .migrationUnfinished)
            let preview = try await calls.plan(upTo: 3).preview(OpenOptions(), open)
            #expect(preview.version == SchemaVersion(2))
            #expect(preview.unfilled == ["Entry.double", "Entry.text"])
            #expect(preview.stages.map(\.to) == [SchemaVersion(3)])
            #expect(preview.stages.first?.tables.first?.rows == Self.count)

            // What was committed before is not calculated again.
            let before = Set(calls.numbers.withLock { $0 })
            calls.failsAt.withLock { $0 = nil }
            calls.numbers.withLock { $0 = [] }
            try await calls.plan(upTo: 3).open(open).close()
            let after = calls.numbers.withLock { $0 }
            #expect(after.count < Self.count - 2_000)
            #expect(before.union(after) == Set(0..<Self.count))
            try await open(try Log3.schema, OpenOptions()).closing { store in
                let sum = try await store.read { try $0.fetch(Log3.Entry.all).reduce(0) { $0 + $1.double } }
                #expect(sum == (0..<Self.count).reduce(0, +) * 2)
            }
        }
    }

    @Test(
        "a backfill fills each scope of a store with a history",
        arguments: TestBackend.shared + TestBackend.distributed)
    func scopes(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            let scopes = (0..<3).map { _ in StoreScope() }
            try await make(open, 300, in: scopes, keepsHistory: true)
            let calls = Calls()
            let options = OpenOptions(scope: scopes[1])
            // Each of the scopes has a row for which the calculation fails at first.
            for row in [10, 299] {
                calls.failsAt.withLock { $0 = row }
                await #expect(throws: Stop.self) { try await calls.plan().open(open, options) }
            }
            calls.failsAt.withLock { $0 = nil }
            try await calls.plan().open(open, options).closing { store in
                for scope in scopes {
                    try await requireFilled(store, 300, in: scope)
                    let updates = try await store.read(ReadOptions(scopes: [scope])) { tx in
                        var updates = 0
                        for transaction in try tx.history() where transaction.author == "migration" {
                            try transaction.changes.forEach { if $0.kind == .update { updates += 1 } }
                        }
                        return updates
                    }
                    #expect(updates == 600)
                    // Nobody's last change is what a migration has filled in.
                    let undoable = try await store.read(ReadOptions(scopes: [scope])) {
                        try $0.undoable(limit: 10)
                    }
                    #expect(undoable.isEmpty)
                }
            }
        }
    }

    @Test("several processes that open the store take turns in its backfill", arguments: TestBackend.shared)
    func together(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await make(open)
            let plan = try Calls().plan()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await plan.open(open).close() } }
                try await group.waitForAll()
            }
            try await open(try Log2.schema, OpenOptions()).closing { try await requireFilled($0) }
        }
    }

    @Test("a backfill of a store without rows is complete at once", arguments: TestBackend.available)
    func empty(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await make(open, 0)
            try await Calls().plan().open(open).closing { try await requireFilled($0, 0) }
        }
    }

    @Test(
        "a backfill of an attribute that the plan or the marker does not know is refused",
        arguments: TestBackend.available)
    func unknown(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await make(open, 100)
            let calls = Calls(failsAt: 50)
            await #expect(throws: Stop.self) { try await calls.plan().open(open) }
            let other = try MigrationPlan(
                [Log1.self, Log2.self],
                [
                    .lightweight(
                        fromVersion: Log1.self, toVersion: Log2.self, .refuseDuplicates(Log2.Entry.self))
                ])
            let error = await #expect(throws: StoreError.self) { try await other.open(open) }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains("Entry.double") == true)

            func edit(_ change: @escaping @Sendable (inout StoreMarker) -> Void) async throws {
                try await open(try Log2.schema, OpenOptions(role: .migrating)).closing { store in
                    try await store.write(.ofMarker) { tx in
                        var marker = try tx.driver.maintenance.marker()
                        change(&marker)
                        try tx.driver.maintenance.setMarker(marker)
                    }
                }
            }
            let record = Mutex<BackfillRecord?>(nil)
            for attributes in [nil, [], ["Entry.number"]] as [[String]?] {
                try await edit { marker in
                    record.withLock { [found = marker.backfill] in $0 = $0 ?? found }
                    if let attributes {
                        marker.backfill?.attributes = attributes
                    } else {
                        marker.backfill = nil
                    }
                }
                let error = await #expect(throws: StoreError.self) { try await calls.plan().open(open) }
                #expect(error?.code == .schemaMismatch, "\(String(describing: attributes))")
                try await edit { marker in marker.backfill = record.withLock { $0 } }
            }
            // Numbers that cannot be are of no consequence for the rows.
            try await edit { marker in
                marker.backfill?.filled = .max
                marker.backfill?.parts = 0
                marker.backfill?.done = .min
            }
            calls.failsAt.withLock { $0 = nil }
            try await calls.plan().open(open).closing { try await requireFilled($0, 100) }
        }
    }

    @Test("an impossible backfill is refused when the plan is created")
    func wrong() {
        func stage(_ step: MigrationStep, _ others: MigrationStep...) -> MigrationStage {
            others.first.map {
                .lightweight(
                    fromVersion: Log1.self, toVersion: Log2.self, .refuseDuplicates(Log2.Entry.self), step, $0
                )
            }
                ?? .lightweight(
                    fromVersion: Log1.self, toVersion: Log2.self, .refuseDuplicates(Log2.Entry.self), step)
        }
        let calculated = MigrationStep.backfill(\Log2.Entry.double) { $0.number }
        for (stage, word) in [
            (stage(.backfill(\Log2.Entry.id) { $0.id }), "cannot change"),
            (stage(.backfill(\Log3.Entry.note) { _ in nil }), "does not have"),
            (stage(calculated, calculated), "twice"),
        ] {
            let error = #expect(throws: StoreError.self) {
                try MigrationPlan([Log1.self, Log2.self], [stage])
            }
            #expect(error?.code == .schemaInvalid)
            #expect(error?.message.contains(word) == true)
        }
    }
}
