public import Foundation
public import Switchyard

extension BabyMonitorSchema {
    /// A user-defined type of event, such as a bath.
    @Model
    public struct CustomEventType: Hashable {
        /// The id.
        public let id: ID
        /// The name.
        public var name: String
        /// The emoji.
        public var emoji: String
        /// When it was created; types are offered in this order.
        public var createdAt: Date = .now
    }
}
