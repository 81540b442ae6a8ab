package import Foundation

/// The content of a registry.
package struct PlaceRecords: Sendable {
    let records: [PlaceRecord]
    /// Why files could not be read, by their names.
    let faults: [String: StoreError]
    /// Why the directory could not be read.
    let directoryFault: StoreError?
    let fileName: @Sendable (String) -> String

    /// Why files could not be read.
    package var unreadable: [StoreError] {
        (directoryFault.map { [$0] } ?? []) + faults.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The records about a place.
    package struct Route: Sendable {
        /// The moves by which the store has left the place, the first one first.
        package var steps: [PlaceRecord] = []
        /// The move by which a store came to the place, if it has not left again.
        package var arrival: PlaceRecord?
        /// Why records could not be read that are about places on the way, or may be.
        package var faults: [StoreError] = []

        /// The last place; nil if no store has left the first one.
        package var end: PlaceRecord? { steps.last }
        /// Whether a store is known to have been in the place.
        package var isKnown: Bool { !steps.isEmpty || arrival != nil }
    }

    /// Follows the records from a place.
    ///
    /// - Parameters:
    ///   - place: The location.
    ///   - storeID: The identity of the store that is, or was, there; nil if it is not known.
    /// - Returns: The route.
    package func route(from place: String, of storeID: UUID? = nil) -> Route {
        var route = Route()
        let arrival = records.filter { $0.location == place && (storeID ?? $0.storeID) == $0.storeID }
            .max { $0.generation < $1.generation }
        var storeID = storeID
        if storeID == nil, let arrival,
            step(from: place, of: arrival.storeID, after: arrival.generation) == nil
        {
            // A store that was there before is not looked for.
            storeID = arrival.storeID
        }
        var visited = [place]
        // It ends, because each step has a higher generation.
        while let step = step(
            from: visited[visited.count - 1], of: storeID, after: route.end?.generation ?? .min)
        {
            route.steps.append(step)
            visited.append(step.location)
            storeID = step.storeID
        }
        if route.end?.location == place { route.steps = [] }
        if route.steps.isEmpty { route.arrival = arrival }
        let names = Set(visited.map(fileName))
        if let directoryFault { route.faults.append(directoryFault) }
        route.faults += faults.sorted { $0.key < $1.key }.filter { name, _ in
            // Those of earlier versions are named after the store, and may be about any place.
            names.contains(name) || !route.isKnown && UUID(uuidString: String(name.dropLast(5))) != nil
        }.map(\.value)
        return route
    }

    /// The last step of a store from a place.
    private func step(from place: String, of storeID: UUID?, after generation: Int64) -> PlaceRecord? {
        records.filter {
            $0.formerly.contains(place) && $0.generation > generation && (storeID ?? $0.storeID) == $0.storeID
        }.max { ($0.generation, $0.rank) < ($1.generation, $1.rank) }
    }

    /// The record of a place, with all former places of the store.
    func withFormerPlaces(_ record: PlaceRecord) -> PlaceRecord {
        let places = records.filter { $0.storeID == record.storeID }.flatMap { $0.formerly + [$0.location] }
        let former = places.filter {
            let route = route(from: $0, of: record.storeID)
            return route.end?.location == record.location
        }
        return PlaceRecord(
            storeID: record.storeID, generation: record.generation, location: record.location,
            formerly: former, switchID: record.switchID)
    }

    /// The places of other stores of the same identity: copies of this one, or their originals.
    ///
    /// - Parameters:
    ///   - marker: The marker of the store.
    ///   - location: Where it is.
    /// - Returns: One record for each.
    package func twins(of marker: StoreMarker, at location: String) -> [PlaceRecord] {
        let id = marker.storeID
        // A superseded store is not a store of its own.
        let mine = (marker.hasBeenLeft ? route(from: location, of: id).end?.location : nil) ?? location
        let places = records.filter { $0.storeID == id }.flatMap { $0.formerly + [$0.location] }
        let ends = places.compactMap { place in
            let route = route(from: place, of: id)
            return route.end ?? route.arrival
        }.filter { $0.location != mine }
        return Dictionary(ends.map { ($0.location, $0) }, uniquingKeysWith: { first, _ in first })
            .values.map(withFormerPlaces).sorted { $0.location < $1.location }
    }
}

extension PlaceRecord {
    /// Of two records of one generation, the one that names its switch wins.
    fileprivate var rank: Int { switchID == nil ? 0 : 1 }
}
