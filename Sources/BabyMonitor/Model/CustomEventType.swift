public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// A kind of event that people have made up, such as a bath.
    @Model
    public struct CustomEventType: Hashable {
        /// The id.
        public let id: ID
        /// The name.
        public var name: String
        /// The emoji.
        public var emoji: String
        /// When it was made, which is the order in which types are offered.
        public var createdAt: Date = .now
    }
}
