internal import Foundation
internal import GRDB
internal import SwitchyardCore
internal import Synchronization

/// Whether a store must not take locks, because Apple's systems kill an app that is suspended while it holds a lock on
/// a file in a shared container (exception code 0xdead10cc).
///
/// GRDB refuses statements that take a lock on its own connections. This observes the same notifications for what GRDB
/// does not see: waits for a lock, and checkpoints.
final class Suspension: Sendable {
    private let active = Atomic(false)
    private let interrupt = Mutex<(@Sendable () -> Void)?>(nil)
    private let observers = Mutex(Observers())

    private struct Observers: @unchecked Sendable {
        // Sendable because the tokens are only passed back to the notification center.
        var tokens: [any NSObjectProtocol] = []
    }

    /// Observes the notifications of the process if `isObserved` is true.
    init(isObserved: Bool) {
        guard isObserved else { return }
        let center = NotificationCenter.default
        let tokens = [
            center.addObserver(forName: Database.suspendNotification, object: nil, queue: nil) {
                [weak self] _ in self?.begin()
            },
            center.addObserver(forName: Database.resumeNotification, object: nil, queue: nil) {
                [weak self] _ in self?.active.store(false, ordering: .sequentiallyConsistent)
            },
        ]
        let added = Observers(tokens: tokens)
        observers.withLock { $0 = added }
    }

    deinit {
        observers.withLock { $0.tokens.forEach(NotificationCenter.default.removeObserver) }
    }

    /// Whether no locks may be taken.
    var isActive: Bool { active.load(ordering: .sequentiallyConsistent) }

    /// Sets the closure that interrupts work that holds a lock outside GRDB's connections.
    func onBegin(_ interrupt: @escaping @Sendable () -> Void) {
        self.interrupt.withLock { $0 = interrupt }
    }

    private func begin() {
        active.store(true, ordering: .sequentiallyConsistent)
        interrupt.withLock(\.self)?()
    }
}

extension StoreError {
    /// The error of a transaction that needs a lock while the store is suspended.
    static var storeSuspended: StoreError {
        StoreError(
            .suspended,
            "The store is suspended, so that it holds no lock while its app is; nothing was written. Try again once it "
                + "is resumed.")
    }
}

extension Database {
    /// Whether GRDB refused or interrupted a statement of this connection because the database is suspended.
    func isSuspended(by error: DatabaseError) -> Bool {
        switch error.resultCode {
        case .SQLITE_ABORT: error.message == Self.suspensionMessage
        case .SQLITE_INTERRUPT: isSuspended
        default: false
        }
    }

    /// Whether GRDB refuses statements that take a lock.
    ///
    /// GRDB has no property for this, so such a statement is tried: GRDB refuses it without running it, and first rolls
    /// back the transaction in progress, which releases its lock.
    var isSuspended: Bool {
        do {
            try execute(sql: "BEGIN IMMEDIATE")
            try rollback()
            return false
        } catch let error as DatabaseError {
            return error.resultCode == .SQLITE_ABORT && error.message == Self.suspensionMessage
        } catch {
            return false
        }
    }

    private static var suspensionMessage: String { "Database is suspended" }
}
