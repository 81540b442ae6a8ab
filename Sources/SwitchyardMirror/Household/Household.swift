public import Foundation

/// The members of a household, their devices, and the open invitations.
public struct Household: Sendable, Hashable, Codable {
    /// A person.
    public struct Member: Sendable, Hashable, Codable, Identifiable {
        /// The id.
        public let id: UUID
        /// The name that the member goes by.
        public let name: String
        /// What the member may do.
        public let role: HouseholdRole
        /// When the member joined.
        public let joined: Date
        /// When the membership ends by itself; nil for never.
        public let ends: Date?
        /// The member's devices.
        public let devices: [Device]
    }

    /// A device of a member.
    public struct Device: Sendable, Hashable, Codable, Identifiable {
        /// The identity of its store, which the server's history names as the origin of what it wrote.
        public let id: UUID
        /// Its name.
        public let name: String?
        /// When it joined.
        public let joined: Date
        /// When it sent something last, to within an hour; nil for never.
        public let lastSeen: Date?
    }

    /// An invitation that can still be accepted.
    public struct Invitation: Sendable, Hashable, Codable, Identifiable {
        /// The id.
        public let id: UUID
        /// The role of who accepts it; nil if it adds a device to the member who made it.
        public let role: HouseholdRole?
        /// The member who made it.
        public let inviter: UUID?
        /// Until when it can be accepted.
        public let expires: Date
        /// How often it can still be accepted.
        public let uses: Int
        /// When the membership ends that it gives; nil for never.
        public let membershipEnds: Date?
    }

    /// The member to whom this device belongs; nil for who runs the server.
    public let me: UUID?
    /// The members, in the order in which they joined.
    public let members: [Member]
    /// The open invitations, the oldest first; empty for a member who does not decide on them.
    public let invitations: [Invitation]

    /// The member to whom this device belongs.
    public var ownMember: Member? { members.first { $0.id == me } }
}

/// An invitation that is to be made.
public struct InvitationTerms: Sendable, Hashable, Codable {
    /// The role of who accepts it; nil to add a device to the member who makes it.
    public var role: HouseholdRole?
    /// For how many seconds it can be accepted: at most 30 days.
    public var lifetime: Int
    /// How often it can be accepted: at most 100 times.
    public var uses: Int
    /// When the membership ends that it gives; nil for never.
    public var membershipEnds: Date?

    /// Creates the terms of an invitation: for one person, within a day.
    public init(
        role: HouseholdRole?, lifetime: Int = 86_400, uses: Int = 1, membershipEnds: Date? = nil
    ) {
        (self.role, self.lifetime, self.uses) = (role, lifetime, uses)
        self.membershipEnds = membershipEnds
    }
}
