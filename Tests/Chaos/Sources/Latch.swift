import Synchronization

/// Something that is said once, and heard by every thread and task.
final class Latch: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .sequentiallyConsistent) }

    func raise() { state.store(true, ordering: .sequentiallyConsistent) }
}
