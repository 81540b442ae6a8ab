public import Foundation

/// The current place of a switched store, as an app's `PlaceRegistry` keeps it.
public struct PlaceRecord: Sendable, Hashable, Codable {
    /// The identity of the store, which it keeps in every place.
    public let storeID: UUID
    /// The store's generation, which each switch and each relocation raises by one; that of a new store is 1.
    public let generation: Int64
    /// The location of the store, from which it can be opened; never a password.
    public let location: String
    /// Its former locations, which apps may still be configured with.
    public let formerly: [String]
    /// The identity of the switch by which it came there; nil if it came otherwise, or if an earlier version noted it.
    public let switchID: UUID?

    /// Creates a record.
    package init(
        storeID: UUID, generation: Int64, location: String, formerly: some Sequence<String>,
        switchID: UUID? = nil
    ) {
        self.storeID = storeID
        self.generation = generation
        self.location = location
        self.formerly = Set(formerly).subtracting([location]).sorted()
        self.switchID = switchID
    }

    /// The record with its places written in another way.
    func replacingPlaces(_ body: (String) -> String) -> PlaceRecord {
        PlaceRecord(
            storeID: storeID, generation: generation, location: body(location), formerly: formerly.map(body),
            switchID: switchID)
    }
}

extension PlaceRecord {
    /// The move of a store to its successor, according to its own marker.
    ///
    /// - Parameters:
    ///   - old: The marker of the store that was left.
    ///   - place: The place of that store.
    ///   - location: The place of the successor.
    init(stepOf old: StoreMarker, from place: String, to location: String) {
        self.init(
            storeID: old.storeID, generation: old.generation + 1, location: location, formerly: [place],
            switchID: old.departure)
    }
}
