public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// A feed, which is in progress until it has an end.
    @Model
    public struct FeedSession: Hashable {
        // For the newest feed of a baby, its feed in progress or the last to end, and the newest of all babies.
        #Index<FeedSession>([\.profile, \.startTime], [\.profile, \.endTime], [\.startTime])

        /// The id.
        public let id: ID
        /// When it began.
        public var startTime: Date = .now
        /// When it ended; nil while it is in progress.
        ///
        /// If two devices finish the same feed, the first to do so was there, and the other had not heard of it.
        @Attribute(.merge(.minimum)) public var endTime: Date?
        /// How much was fed, in the unit of `amountUnitSymbol`; nil if unknown.
        public var amountValue: Double?
        /// The symbol of the unit as it was written; `amount` interprets it.
        public var amountUnitSymbol: String?
        /// What was fed; nil in feeds of older releases.
        public var feedType: FeedType?
        /// The memo, which may contain hashtags.
        @Attribute(.searchable) public var memoText: String?
        /// The baby; nil once it has been removed.
        public var profile: BabyProfile.ID?
    }
}

extension BabyMonitorSchema.FeedSession {
    /// Whether the feed has not ended yet.
    public var isInProgress: Bool { endTime == nil }

    /// How much was fed; nil if unknown.
    ///
    /// A missing or unknown unit is read as millilitres. Imports refuse an unknown one unless told to accept it.
    public var amount: Measurement<UnitVolume>? {
        amountValue.map { Measurement(value: $0, unit: VolumeUnit(storedSymbol: amountUnitSymbol).unit) }
    }

    /// How long the feed took, in seconds; nil while it is in progress.
    public var duration: TimeInterval? { endTime?.timeIntervalSince(startTime) }

    /// The hashtags of the memo.
    public var hashtags: [String] { Hashtags.find(in: memoText ?? "") }
}
