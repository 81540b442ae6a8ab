import Foundation
import Switchyard

/// A row that takes others with it when it is deleted.
@Model
struct Tray {
    let id: ID
    /// Always written together with `twin`, and a value that nobody else writes.
    var mark: Int
    var twin: Int
    @Attribute(.merge(.counter)) var count: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Cup.tray)
    var cups: ToMany<Cup>
}

/// A row with a unique key of which there are few, so that devices take the same one.
@Model
struct Cup {
    #Unique<Cup>([\.hook])
    let id: ID
    var hook: Int
    var tray: Tray.ID
    /// Always written together with `twin`, and a value that nobody else writes.
    var mark: Int
    var twin: Int
    /// A value that nobody else writes.
    var shade: Int
    @Attribute(.merge(.counter)) var count: Int = 0
}

/// What several devices write while they are mirrored.
enum KitchenSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Tray.self, Cup.self]

    /// The attributes whose values are all different.
    static let marks: [String: [String]] = ["Tray": ["mark", "twin"], "Cup": ["mark", "twin", "shade"]]

    /// Two trays that every device makes for itself, and that are always marked together and never deleted.
    static let pair = (
        Tray.ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))),
        Tray.ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 2)))
    )

    /// The hooks that devices draw from.
    static let hooks = 0..<60
}

extension ReadTransaction {
    /// What no whole transaction leaves behind, in a sentence each: on a server, and on a device at any time.
    func kitchenFaults() throws -> [String] {
        let (trays, cups) = (try fetch(Tray.all), try fetch(Cup.all))
        var faults: [String] = []
        let marks = [KitchenSchema.pair.0, KitchenSchema.pair.1].map { id in trays.first { $0.id == id }?.mark
        }
        if marks[0] != marks[1] { faults.append("the pair is marked \(marks)") }
        for tray in trays where tray.mark != tray.twin { faults.append("half of tray \(tray.id) is shown") }
        for cup in cups where cup.mark != cup.twin { faults.append("half of cup \(cup.id) is shown") }
        let known = Set(trays.map(\.id))
        for cup in cups where !known.contains(cup.tray) { faults.append("cup \(cup.id) is on no tray") }
        if Set(cups.map(\.hook)).count < cups.count { faults.append("two cups hang on one hook") }
        return faults
    }
}
