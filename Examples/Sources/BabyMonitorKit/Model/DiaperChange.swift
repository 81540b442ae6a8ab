public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// A diaper change.
    @Model
    public struct DiaperChange: Hashable {
        // For the newest change of a baby, and of all babies.
        #Index<DiaperChange>([\.profile, \.timestamp], [\.timestamp])

        /// The id.
        public let id: ID
        /// When it happened.
        public var timestamp: Date = .now
        /// What was in the diaper.
        public var type: DiaperType = .pee
        /// The memo, which may contain hashtags.
        @Attribute(.searchable) public var memoText: String?
        /// The baby; nil once it has been removed.
        public var profile: BabyProfile.ID?
    }
}

extension BabyMonitorSchema.DiaperChange {
    /// The hashtags of the memo.
    public var hashtags: [String] { Hashtags.find(in: memoText ?? "") }
}
