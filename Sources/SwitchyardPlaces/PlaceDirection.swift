package import Logging

/// Where to look for the store of a configured place.
package enum PlaceDirection: Sendable {
    /// In the place itself, whose store may say that it was switched; one that no store was in yet may get one.
    case here(isKnown: Bool)
    /// Where the records say that it has gone, which its own marker does not deny.
    case elsewhere(PlaceRecord)
}

extension PlaceRegistry {
    /// Finds out where the store of a place is, by the records and by the marker of the store that is there.
    ///
    /// The marker has the last word. If the place is out of reach, or has no store any more, the records are all there is.
    ///
    /// - Parameters:
    ///   - configured: The place where an app is configured to look for the store.
    ///   - logger: Is told of records that cannot be read, where they do not matter.
    ///   - place: Makes a place of a location.
    /// - Returns: Where it is.
    /// - Throws: `identityConflict` if the store is in use both there and where it has gone; as `record(of:)` if the place has no
    ///   store that could say where the data is; `cancelled`.
    package func direction(
        from configured: StorePlace, logger: Logger, _ place: (String) async throws -> StorePlace
    ) async throws -> PlaceDirection {
        let records = try await readContents()
        let route = records.route(from: configured.location)
        guard route.isKnown || !route.faults.isEmpty else { return .here(isKnown: false) }
        let marker: StoreMarker?
        do {
            marker = try await configured.marker()
        } catch let error as StoreError where error.code == .cancelled {
            throw error
        } catch {
            marker = nil
        }
        // What is being filled there does not know yet where the data is.
        guard let marker, marker.role != .copying || marker.successor != nil else {
            if let fault = route.faults.first { throw fault }
            return route.end.map { .elsewhere($0) } ?? .here(isKnown: true)
        }
        for fault in route.faults { logger.warning("\(fault.message)") }
        return try await records.direction(from: configured.location, marker, place)
    }

    /// Reads all records off the cooperative pool.
    func readContents() async throws -> PlaceRecords { try await BlockingWork.run { contents() } }
}

extension PlaceRecords {
    /// Where the store with a marker has gone from its place, unless it says otherwise.
    ///
    /// - Throws: `identityConflict` if it is in use both there and where it has gone.
    func direction(
        from location: String, _ marker: StoreMarker, _ place: (String) async throws -> StorePlace
    ) async throws -> PlaceDirection {
        let route = route(from: location, of: marker.storeID)
        guard let step = route.steps.first, let end = route.end else { return .here(isKnown: true) }
        if marker.hasBeenLeft {
            return step.isConfirmed(by: marker) ? .elsewhere(end) : .here(isKnown: true)
        }
        guard [.active, .migrating].contains(marker.role) else { return .here(isKnown: true) }
        if marker.generation < step.generation {
            // The fence was lost, by a server that has failed over for example, but not the record of the switch.
            let record = marker.switching
            if let record, record.id == step.switchID, record.state != .aborted { return .elsewhere(end) }
            throw StoreError.inUseTwice(location, end.location)
        }
        // It has come back, and nobody has noted that; or it is a copy of the one that it was switched to.
        let other = try? await place(end.location).marker()
        if let other, other.storeID == marker.storeID, other.role == .active,
            other.generation >= marker.generation, other.switching?.id == marker.switching?.id
        {
            throw StoreError.inUseTwice(location, end.location)
        }
        return .here(isKnown: true)
    }
}

extension PlaceRecord {
    /// Whether a store that was left says the same of its successor.
    fileprivate func isConfirmed(by marker: StoreMarker) -> Bool {
        guard marker.generation < generation else { return false }
        if let switchID, let departure = marker.departure { return departure == switchID }
        // An earlier version has noted only the last of several places.
        return marker.successor == location || switchID == nil && generation > marker.generation + 1
    }
}

extension StoreError {
    /// The error of a place whose store is in use, although the data was switched from there.
    fileprivate static func inUseTwice(_ location: String, _ other: String) -> StoreError {
        StoreError(
            .identityConflict,
            "The store at \(location) was switched to \(other), but is in use: a backup or a copy of it was put there. Two "
                + "stores have the same identity now. If the one at \(other) has the data to keep, move the one at "
                + "\(location) away. If that is to be used, give it an identity of its own, by `store fork` or "
                + "`takeNewIdentity()`. Nothing was changed.")
    }
}
