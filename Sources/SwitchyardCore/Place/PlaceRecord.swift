public import Foundation

/// Where a store is that was switched, as an app's `PlaceRegistry` has it.
public struct PlaceRecord: Sendable, Hashable, Codable {
    /// The identity of the store, which it keeps wherever it goes.
    public let storeID: UUID
    /// The store's generation, which each switch and each relocation raises by one; that of a new store is 1.
    public let generation: Int64
    /// The location of the store, from which it can be opened; never a password.
    public let location: String
    /// The locations where it was before, under which apps may still be configured to look for it.
    public let formerly: [String]

    /// Creates a record.
    package init(storeID: UUID, generation: Int64, location: String, formerly: some Sequence<String>) {
        self.storeID = storeID
        self.generation = generation
        self.location = location
        self.formerly = Set(formerly).subtracting([location]).sorted()
    }
}
