internal import Switchyard
public import SwitchyardTransfer

extension W8TrackrSchema {
    /// What the tables of the app's SwiftData store become.
    ///
    /// Its models have no ids of their own. A row has one record in CloudKit, which is the same on each of a person's devices;
    /// one that was never uploaded exists on this device alone, and gets its id from its key.
    public static var adoption: AdoptionPlan {
        get throws {
            try AdoptionPlan(
                W8TrackrSchema.self,
                .table(
                    "WeightEntry", as: WeightEntry.self,
                    .id(from: "$recordName", "$zone", "$zoneOwner", ifUnusable: .fromKey)),
                .table(
                    "CompletedMilestone", as: CompletedMilestone.self,
                    .id(from: "$recordName", "$zone", "$zoneOwner", ifUnusable: .fromKey)))
        }
    }
}
