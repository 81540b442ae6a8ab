public import Switchyard

/// The eighth version of the app's schema.
///
/// Each model is declared in an extension of this type.
///
/// A released schema does not change: the next one is a version of its own, with models of its own and a
/// migration from this one.
public enum BabyMonitorSchema: VersionedSchema {
    /// Version 8.
    public static let version = SchemaVersion(8)

    /// The five models.
    public static let models: [any Model.Type] = [
        BabyProfile.self, FeedSession.self, DiaperChange.self, CustomEventType.self, CustomEvent.self,
    ]
}

/// A baby, in the schema version that the app uses today.
public typealias BabyProfile = BabyMonitorSchema.BabyProfile
/// A feed, in the schema version that the app uses today.
public typealias FeedSession = BabyMonitorSchema.FeedSession
/// A diaper change, in the schema version that the app uses today.
public typealias DiaperChange = BabyMonitorSchema.DiaperChange
/// A type of custom event, in the schema version that the app uses today.
public typealias CustomEventType = BabyMonitorSchema.CustomEventType
/// A custom event, in the schema version that the app uses today.
public typealias CustomEvent = BabyMonitorSchema.CustomEvent
