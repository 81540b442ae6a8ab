public import Foundation
internal import SwitchyardCore

/// What a comparison of a mirrored store with its server has found in the rows of an entity.
public struct MirrorComparison: Sendable, Hashable {
    /// How many ids of different rows are kept.
    private static let mostRows = 100

    /// The entity's name.
    public let entity: String
    /// The number of rows on the device before a repair.
    public private(set) var rows = 0
    /// The number of parts that were compared.
    public private(set) var parts = 0
    /// The number of rows that differ, or that only one of both stores has.
    public private(set) var differences = 0
    /// The ids of the first 100 of them.
    public private(set) var different: [UUID] = []
    /// Whether the device has the server's rows now.
    public private(set) var isRepaired = false

    /// Whether both stores have the same rows, before a repair.
    public var isEqual: Bool { differences == 0 }

    init(_ entity: String) { self.entity = entity }

    mutating func add(_ part: ComparedPart, isRepaired: Bool) {
        rows += part.rows
        parts += 1
        differences += part.different.count
        different += part.different.prefix(Self.mostRows - different.count)
        if !part.different.isEmpty { self.isRepaired = isRepaired }
    }
}
