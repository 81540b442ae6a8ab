internal import Foundation
internal import SwitchyardCore

/// A switch that is rehearsed before it is carried out.
extension StoreSwitch {
    /// Copies and compares rows like `run`, but stops before the fence: the old store is written and read as
    /// before.
    ///
    /// From then on `follow` keeps the copy up to date, a `RehearsedStore` compares an app's reads with it,
    /// and `status` reports the findings. `run` continues from there, and `abort` ends the rehearsal. While
    /// no process follows, the old store keeps the part of its history that the copy lacks.
    ///
    /// - Parameter progress: Receives the progress.
    /// - Returns: The comparison of both stores, which are equal.
    /// - Throws: As `run`; `invalidArgument` if a switch is under way that is not a rehearsal.
    @discardableResult
    public func rehearse(
        _ progress: @escaping @Sendable (SwitchProgress) -> Void = { _ in }
    ) async throws -> VerificationReport {
        let report = try await carryOut(isRehearsal: true, progress) { work, _ in
            let passes = try await work.addConstraints(after: work.catchUp())
            let verified = try await work.verify(passes)
            try await work.becomeRehearsal()
            return verified.report
        }
        guard let report else { throw StoreError.notRehearsed(source.location, target.location) }
        return report
    }

    /// Keeps the copy of a rehearsal in step, until it is ended by `run` or `abort`, which it may be already, or the task is
    /// cancelled.
    ///
    /// - Throws: `invalidArgument` if no switch to this place was begun, or its rehearsal has not come so far;
    ///   `carriedOutElsewhere` if another process takes over; `cancelled`; what reading and writing throw. The rehearsal can be followed again then.
    public func follow() async throws {
        let runner = try await runner()
        let marker = try await sourceMarker()
        guard let current = marker.switching, current.peer == target.location,
            !current.isRehearsal || current.state != .copying,
            // The store may have been switched from there.
            marker.role != .active || current.state != .committed
        else { throw StoreError.notRehearsed(source.location, target.location) }
        guard current.state == .rehearsing else { return }
        do {
            var options = OpenOptions(createsIfMissing: false, scope: marker.anyScope)
            try await source.withStore(options) { old in
                options.role = .copying
                try await target.withStore(options) { new in
                    let isScoped = marker.scopeColumn != nil
                    let work = SwitchWork(id: current.id, old: old, new: new, isScoped: isScoped) { _ in }
                    try await work.takeOver(from: .only(runner))
                    try await work.follow()
                }
            }
        } catch is CancellationError {
            throw StoreError.taskCancelled
        } catch let error as StoreError where error.code.refusesService {
            // The process that ends the rehearsal takes the copy over, or aborts the switch.
        }
        guard !Task.isCancelled else { throw StoreError.taskCancelled }
        let record = try await sourceMarker().switching
        guard record?.isRehearsal == true, record?.isUnderWay == true,
            try await target.marker()?.switching?.state == .copying
        else { return }
        throw StoreError.carriedOutElsewhere
    }

    /// The process that carries out the switch, according to the new store; nil before the first.
    ///
    /// It is read before the old store's marker: the end of a rehearsal is recorded there before the copy is
    /// taken over.
    func runner() async throws -> UUID? { try await target.marker()?.switching?.copied?.runner }
}

extension StoreError {
    fileprivate static func notRehearsed(_ location: String, _ target: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "No switch of the store \(location) to \(target) is being rehearsed. Begin one first.")
    }
}
