internal import Switchyard
public import SwitchyardTransfer

extension KeepTrackV0 {
    /// What the tables of the app's SwiftData store become.
    ///
    /// The ids are those of the files of JSON, from which SwiftData had the rows. The result is a store of version 0:
    /// `KeepTrackStore` takes it through the same stages as any other, and leaves the files alone, because it has rows.
    public static var adoption: AdoptionPlan {
        get throws {
            try AdoptionPlan(
                KeepTrackV0.self,
                .table("Entry", as: Entry.self, .id(from: "id")),
                .table("IntakeType", as: IntakeType.self, .id(from: "id")),
                .table("Goal", as: Goal.self, .id(from: "id")))
        }
    }
}
