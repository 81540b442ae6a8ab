internal import Foundation
internal import SwitchyardCore

/// Moves all rows of a store to a new one, of any backend, while apps go on writing to the old one.
///
/// Rows are copied in parts, each together with what was changed in the meantime, as the old store's history tells it. When
/// the new store has all of them, both are compared; then the old store takes no more writes, the last changes are copied and
/// compared, and the new store becomes the one to use. The old one stays as it is, and says where the data went.
///
/// ```swift
/// let mover = StoreMover(from: file, to: server)
/// let report = try await mover.run { progress in print(progress.step, progress.rows) }
/// ```
///
/// A move that was interrupted, whatever by, goes on where it was when `run` is called again. Until it is committed, `abort`
/// gives it up.
public struct StoreMover: Sendable {
    private let source: StorePlace
    private let target: StorePlace

    /// Prepares a move.
    public init(from source: StorePlace, to target: StorePlace) {
        self.source = source
        self.target = target
    }

    /// Moves the rows, or goes on with a move that was interrupted.
    ///
    /// - Parameter progress: Is told how far it has come.
    /// - Returns: What the comparison of both stores has found, which are equal; nil if an earlier call had committed the
    ///   move, and this one has only tidied up.
    /// - Throws: `outOfService` if the old store is not the one to use, or the new place holds a store already;
    ///   `verification` if the stores differ; `invalidArgument` if a move to another place is under way; `unsupported` for a
    ///   store with scopes, or with models that its history leaves out; what reading and writing throw. Nothing is lost
    ///   then, and the move can go on or be given up.
    @discardableResult
    public func run(
        _ progress: @escaping @Sendable (MoveProgress) -> Void = { _ in }
    ) async throws -> VerificationReport? {
        let marker = try await sourceMarker()
        guard marker.role == .active || marker.isFenced else {
            throw StoreError.notToBeMoved(source.location, marker)
        }
        let current = marker.isBeingMoved ? marker.move : nil
        if let current, current.peer != target.location {
            throw StoreError(
                .invalidArgument,
                "A move of the store to \(current.peer) is under way. Let it go on, or abort it first.")
        }
        let found = try await target.marker()
        if let current, found?.hasTakenOver(from: marker, by: current) == true {
            try await finish(as: .committed, role: .superseded)
            return nil
        }
        try requireRoom(found, for: current)
        let options = OpenOptions(createsIfMissing: false, role: marker.role)
        let report = try await source.withStore(options) { old in
            let move = try await begin(marker, in: old)
            let options = OpenOptions(createsIfMissing: found == nil, role: .copying)
            return try await target.withStore(options) { new in
                let work = MoveWork(old: old, new: new, progress: progress)
                try await work.prepare(move, peer: source.location)
                try await work.catchUp()
                try await work.addConstraints()
                let report = try await work.verify()
                if !marker.isFenced { try await work.fence(successor: target.location) }
                try await work.copyRest()
                try await work.commit()
                return report
            }
        }
        try await finish(as: .committed, role: .superseded)
        return report
    }

    /// Whether a move of the store was begun, and is neither complete nor given up.
    ///
    /// - Throws: `notFound` if there is no such store; what reading throws.
    public func isUnderWay() async throws -> Bool {
        try await sourceMarker().isBeingMoved
    }

    /// Gives up a move that is not committed: the old store is the one to use, as before.
    ///
    /// What was copied stays in the new place, marked as an incomplete copy, and a later move to there replaces it.
    ///
    /// - Throws: `invalidArgument` if no move is under way; `outOfService` if it is committed; what writing throws.
    public func abort() async throws {
        let marker = try await sourceMarker()
        guard let move = marker.move, marker.isBeingMoved else {
            throw StoreError(.invalidArgument, "No move of the store \(source.location) is under way.")
        }
        let found = try await target.marker()
        if let found, found.hasTakenOver(from: marker, by: move) {
            throw StoreError.notToBeMoved(source.location, marker)
        }
        if found?.move?.id == move.id {
            try await target.withStore(OpenOptions(createsIfMissing: false, role: .copying)) { new in
                try await new.write(.ofMarker) { tx in try tx.updateMove { $0.state = .aborted } }
            }
        }
        try await finish(as: .aborted, role: marker.role)
    }

    private func sourceMarker() async throws -> StoreMarker {
        guard let marker = try await source.marker() else {
            throw StoreError(.notFound, "There is no store at \(source.location).")
        }
        return marker
    }

    /// Notes the move in the old store, unless it is under way.
    private func begin(_ marker: StoreMarker, in old: any Store) async throws -> StoreMove {
        let keepsHistory = marker.history?.isKept == true
        if let move = marker.move, marker.isBeingMoved {
            if !keepsHistory { try await old.keepHistory() }
            return move
        }
        guard marker.scopeColumn == nil else {
            throw StoreError(.unsupported, "A store with scopes cannot be moved yet.")
        }
        for entity in marker.schema.entities where entity.leavesHistoryOut {
            throw StoreError(
                .unsupported,
                "The history leaves out rows or values of \(entity.name), so that a move could lose what is changed "
                    + "meanwhile.", entity: entity.name)
        }
        var move = StoreMove(id: UUID(), state: .copying, peer: target.location)
        move.startedHistory = !keepsHistory
        try await old.write(.ofMarker) { [move] tx in try tx.updateMarker { $0.move = move } }
        if !keepsHistory { try await old.keepHistory() }
        return move
    }

    /// Refuses a place that holds anything but what this move, or one that was given up, has copied.
    private func requireRoom(_ found: StoreMarker?, for move: StoreMove?) throws {
        guard let found else { return }
        let isLeft = found.move.map { $0.id == move?.id || $0.state == .aborted } ?? true
        guard found.role == .copying, isLeft else {
            throw StoreError(
                .outOfService,
                "There is a store at \(target.location) already. Give a place without one; nothing was changed."
            )
        }
    }

    /// Ends the move in the old store.
    private func finish(as state: StoreMove.State, role: StoreRole) async throws {
        try await source.withStore(OpenOptions(createsIfMissing: false, role: role)) { old in
            try await old.write(.ofMarker) { tx in
                try tx.removeHistoryConsumer(MoveWork.consumer)
                try tx.updateMarker { marker in
                    if marker.move?.startedHistory == true { marker.stopHistory() }
                    marker.move?.state = state
                    if state == .aborted {
                        marker.role = .active
                        marker.successor = nil
                    }
                }
            }
        }
    }
}

extension StoreMarker {
    /// Whether the store takes no more writes because it is being moved.
    fileprivate var isFenced: Bool { role == .superseded && move?.state == .fenced }

    /// Whether a move of the store was begun, and is neither complete nor given up.
    fileprivate var isBeingMoved: Bool { move?.state == .copying || move?.state == .fenced }

    /// Whether the store is the one to use since a move.
    fileprivate func hasTakenOver(from old: StoreMarker, by move: StoreMove) -> Bool {
        role == .active && self.move?.id == move.id && generation > old.generation
    }
}

extension StoreError {
    fileprivate static func notToBeMoved(_ location: String, _ marker: StoreMarker) -> StoreError {
        let place = marker.successor.map { "; its data is in \($0)" } ?? ""
        return StoreError(
            .outOfService,
            "The store \(location) is not the one to use any more: its role is \(marker.role.rawValue)\(place)."
        )
    }
}
