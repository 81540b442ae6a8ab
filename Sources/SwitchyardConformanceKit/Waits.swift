internal import Switchyard
internal import SwitchyardCore

/// What a requirement's test is currently waiting for, so that a hanging test can report it.
final class Waits: Sendable, CustomStringConvertible {
    // Not a Mutex: tests contend for this lock, and Thread Sanitizer does not understand Mutex.
    private let open = Monitor<(next: Int, waits: [Int: String], lastFailure: String?)>((0, [:], nil))

    /// What threw last.
    var lastFailure: String? { open.withLock(\.lastFailure) }

    /// The pending waits, in the order in which they began.
    var description: String {
        let waits = open.withLock { $0.waits.sorted { $0.key < $1.key }.map(\.value) }
        return waits.isEmpty ? "the requirement's own work" : waits.joined(separator: ", ")
    }

    func during<Result>(_ what: String, _ work: () async throws -> Result) async rethrows -> Result {
        let number = begin(what)
        defer { end(number) }
        do { return try await work() } catch {
            open.withLock { $0.lastFailure = what }
            throw error
        }
    }

    func begin(_ what: String) -> Int {
        open.withLock { open in
            open.next += 1
            open.waits[open.next] = what
            return open.next
        }
    }

    func end(_ number: Int) { open.withLock { _ = $0.waits.removeValue(forKey: number) } }
}

/// A store that records each pending request until it is answered.
final class WatchedStore: WrappingStore {
    let base: any Store
    private let waits: Waits

    init(_ base: any Store, _ waits: Waits) {
        self.base = base
        self.waits = waits
    }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result { try await waits.during("a read") { try await base.read(options, body) } }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await waits.during("a write") { try await base.write(options, body) }
    }

    func wasCommitted(_ operation: OperationID, in scope: StoreScope?) async throws -> Bool {
        try await waits.during("the outcome of an operation") {
            try await base.wasCommitted(operation, in: scope)
        }
    }

    func check() async throws -> [String] { try await waits.during("a check") { try await base.check() } }
    func close() async throws { try await waits.during("a store that closes") { try await base.close() } }
}
