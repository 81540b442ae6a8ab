public import Switchyard

/// The eighth version of what the app stores.
///
/// Each model is declared in an extension of this type.
///
/// A released schema does not change: what comes next is a version of its own, with models of its own, and a
/// migration from this one.
public enum BabyMonitorSchema: VersionedSchema {
    /// Version 8.
    public static let version = SchemaVersion(8)

    /// The five models.
    public static let models: [any Model.Type] = [
        BabyProfile.self, FeedSession.self, DiaperChange.self, CustomEventType.self, CustomEvent.self,
    ]
}

/// A baby, in the version of the schema that the app uses today.
public typealias BabyProfile = BabyMonitorSchema.BabyProfile
/// A feed, in the version of the schema that the app uses today.
public typealias FeedSession = BabyMonitorSchema.FeedSession
/// A diaper change, in the version of the schema that the app uses today.
public typealias DiaperChange = BabyMonitorSchema.DiaperChange
/// A kind of custom event, in the version of the schema that the app uses today.
public typealias CustomEventType = BabyMonitorSchema.CustomEventType
/// A custom event, in the version of the schema that the app uses today.
public typealias CustomEvent = BabyMonitorSchema.CustomEvent
