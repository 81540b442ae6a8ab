import SwitchyardCore
import SwitchyardTransfer
import Synchronization
import Testing

extension StoreSwitch {
    typealias Tell = @Sendable (SwitchProgress) -> Void

    /// Carries out the switch, or its rehearsal, until it tells of a step, and is cancelled there; expects it to fail by that.
    func stop(
        at step: SwitchPhase, rehearsing isRehearsal: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let tell: Tell = { if $0.phase == step { withUnsafeCurrentTask { $0?.cancel() } } }
        let moving = Task {
            if isRehearsal { _ = try await rehearse(tell) } else { _ = try await run(tell) }
        }
        let error = await #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
            try await moving.value
        }
        #expect(error?.code == .cancelled, sourceLocation: sourceLocation)
    }

    /// Carries out the switch until it has told of so many things, and is cancelled then.
    ///
    /// - Returns: Whether it has come to its end.
    func isDone(cancelledAfter limit: Int) async throws -> Bool {
        let told = Mutex(0)
        let moving = Task {
            try await run { _ in
                let count = told.withLock { count in
                    count += 1
                    return count
                }
                if count == limit { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        do {
            _ = try await moving.value
            return true
        } catch let error as StoreError where error.code == .cancelled { return false }
    }
}

extension StorePlace {
    /// Puts a store into the state that it had before it was fenced.
    func unfence(asRehearsal isRehearsal: Bool = false, scope: StoreScope? = nil) async throws {
        try await withMarker(.readWrite, scope: scope) { store in
            try await store.write(.ofMarker) { tx in
                var marker = try tx.driver.maintenance.marker()
                (marker.role, marker.successor) = (.active, nil)
                marker.switching?.state = isRehearsal ? .rehearsing : .copying
                marker.switching?.isRehearsal = isRehearsal
                try tx.driver.maintenance.setMarker(marker)
            }
        }
    }
}
