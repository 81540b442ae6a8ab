internal import Foundation

/// Finds and opens the store that has the data, starting from a place where it is or was.
struct PlaceSearch: Sendable {
    /// How the store is opened.
    let options: OpenOptions
    /// How long to wait for the end of a switch that holds back the writers.
    let timeout: Duration
    /// Makes a place of the location of a successor.
    let place: @Sendable (String) async throws -> StorePlace

    /// The store that has the data.
    struct Found: Sendable {
        let store: any Store
        let location: String
        /// The steps by which it came there, as the markers tell; none if it was found where the search began.
        var steps: [PlaceRecord] = []
    }

    /// What is in a place.
    private enum Visit {
        case found(any Store)
        /// A store that another one has superseded, or the backup of such a one to which the data is being switched back.
        case left(StoreMarker)
    }

    /// The pauses between two looks at a switch that holds back the writers.
    private static let pauses = (first: Duration.milliseconds(10), longest: Duration.milliseconds(250))

    /// Opens the store that is in a place, or the one that its data was switched to.
    ///
    /// - Parameters:
    ///   - start: The place.
    ///   - mayCreate: Whether it may be created, because nothing is known of a store there.
    ///   - record: What is known of the store there; nil if nothing is.
    /// - Returns: The store.
    /// - Throws: What opening throws; `outOfService` if there is no successor, or none in time.
    func open(
        _ start: StorePlace, mayCreate: Bool = false, as record: PlaceRecord? = nil
    ) async throws -> Found {
        let limit = ContinuousClock.now + timeout
        while true {
            switch try await visit(start, mayCreate: mayCreate) {
            case .found(let store):
                if let record { try await store.require(record) }
                return Found(store: store, location: start.location)
            case .left(let marker):
                if let found = try await open(after: start.location, marker, until: limit) { return found }
            }
        }
    }

    /// Opens the store that has superseded another one, and waits for it while a switch is under way.
    ///
    /// - Returns: The store; nil if the other one takes writes again, because the switch was given up.
    /// - Throws: As `open(_:as:)`.
    func open(
        after location: String, _ marker: StoreMarker, until limit: ContinuousClock.Instant
    ) async throws -> Found? {
        var (marker, pause) = (marker, Self.pauses.first)
        while true {
            do {
                return try await successor(of: location, marker)
            } catch let error as StoreError
                where error.code.refusesService
                && (marker.switching?.state == .fenced || marker.role == .copying)
            {
                guard ContinuousClock.now < limit else { throw error }
            }
            do { try await Task.sleep(for: pause) } catch { throw StoreError.taskCancelled }
            pause = min(pause * 2, Self.pauses.longest)
            guard let found = try await place(location).marker(), found.hasBeenLeft else { return nil }
            marker = found
        }
    }

    /// Opens the last of the stores that have superseded each other.
    private func successor(of location: String, _ marker: StoreMarker) async throws -> Found {
        var (left, old) = (location, marker)
        var steps: [PlaceRecord] = []
        // It ends, because each successor has a higher generation.
        while true {
            guard let location = old.successor else {
                throw StoreError.outOfService(old.role.rawValue, successor: nil)
            }
            let step = PlaceRecord(stepOf: old, from: left, to: location)
            switch try await visit(try await place(location), mayCreate: false) {
            case .found(let store):
                try await store.require(step)
                return Found(store: store, location: location, steps: steps + [step])
            case .left(let marker):
                try marker.require(step)
                steps.append(step)
                (left, old) = (location, marker)
            }
        }
    }

    /// Opens the store that is in a place, unless another one has superseded it.
    private func visit(_ place: StorePlace, mayCreate: Bool) async throws -> Visit {
        var options = options
        if !mayCreate { options.createsIfMissing = false }
        let store: any Store
        do {
            store = try await place.open(options)
        } catch let error as StoreError
            where error.code.refusesService && error.successor != nil || error.isOfVersion
        {
            // A backup stays of the version that it had.
            guard let marker = try await place.marker(), marker.hasBeenLeft, marker.successor != nil else {
                throw error
            }
            return .left(marker)
        }
        // One that is opened for writing is the one to use.
        guard options.access == .readOnly else { return .found(store) }
        return try await store.closingOnError { store in
            let marker = try await store.marker()
            guard try await isLeft(marker) else { return .found(store) }
            try await store.close()
            return .left(marker)
        }
    }

    /// Whether the data is not in a store any more: until a switch is committed, the old store has it.
    private func isLeft(_ marker: StoreMarker) async throws -> Bool {
        guard marker.hasBeenLeft, let successor = marker.successor else { return false }
        guard marker.switching?.state == .fenced else { return true }
        // The switch may have been interrupted after its commit, before the old store was told. Out of reach, that store can
        // still be read here.
        let new = try? await place(successor).marker()
        return new?.hasTakenOver(from: marker) == true
    }
}

extension Store {
    /// Checks that the store is the one that was looked for, and closes it if it is not.
    ///
    /// - Throws: As `StoreMarker.require`.
    fileprivate func require(_ record: PlaceRecord) async throws {
        try await closingOnError { try await $0.marker().require(record) }
    }
}

extension StoreMarker {
    /// Whether the store has been the one to use since a switch from another one, whatever it is now.
    ///
    /// Before it takes over, a copy has another identity, or as the backup of an earlier switch an older generation. One
    /// that is a copy all the same was left again, and is about to be filled once more.
    package func hasTakenOver(from old: StoreMarker) -> Bool {
        storeID == old.storeID && generation > old.generation
            && !isTwin(ofGeneration: old.generation + 1, by: old.departure)
    }

    /// Whether the data is somewhere else, and the store says where.
    var hasBeenLeft: Bool {
        switch role {
        case .superseded: true
        case .copying, .retired: successor != nil
        default: false
        }
    }

    /// Whether the switch that the marker tells of is the one by which the data came here.
    package var isArrival: Bool { role == .active && switching?.state == .committed }

    /// The identity of the switch to the successor, which has it too; nil if the data was not switched.
    ///
    /// A store that was relocated has taken the record of an earlier switch along.
    var departure: UUID? { role == .superseded || role == .retired ? switching?.id : nil }

    /// Whether the store came here by another switch than the one that it should have: it belongs to a copy of the store
    /// that was looked for.
    ///
    /// - Parameters:
    ///   - generation: That of the store after the switch.
    ///   - id: The switch; nil if it is not known.
    /// - Returns: Whether it did, as far as that can be told.
    private func isTwin(ofGeneration generation: Int64, by id: UUID?) -> Bool {
        // Later on, the marker tells of a later switch.
        guard let id, self.generation == generation, isArrival else { return false }
        return switching?.id != id
    }

    /// Checks that the store is another one, switched.
    ///
    /// - Throws: `identityConflict`.
    fileprivate func require(_ record: PlaceRecord) throws {
        guard storeID == record.storeID, generation >= record.generation,
            !isTwin(ofGeneration: record.generation, by: record.switchID)
        else {
            throw StoreError(
                .identityConflict,
                "The data was switched to \(record.location), but the store that is there now is another one. Find out where the "
                    + "data is, and open that place; nothing was changed.")
        }
    }
}

extension StoreError {
    /// Whether the store cannot be read because its rows are of another version.
    package var isOfVersion: Bool { code == .schemaMismatch || code == .schemaTooNew }
}
