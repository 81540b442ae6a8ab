import SwitchyardMirror

/// Who belongs to the household, as a simulated server keeps it beside the rows.
struct SimulatedHousehold {
    struct Member {
        var role: HouseholdRole
        /// The time at which the membership ends by itself.
        var ends: Int64?
        var isRevoked = false
    }

    struct Device {
        var member: Int
        /// The number of its token, which no other one ever has.
        var token: Int
        var isRevoked = false
    }

    /// What a token is worth.
    enum Standing: Equatable {
        case member(HouseholdRole)
        case revoked
        /// The household has never known it, or has given the device another one since.
        case unknown
    }

    var members: [Member] = []
    /// The devices, by the identity of their files.
    var devices: [Int: Device] = [:]

    func standing(of token: Int?, identity: Int, at time: Int64) -> Standing {
        guard let device = devices[identity], device.token == token else { return .unknown }
        return device.isRevoked || !isCurrent(device.member, at: time)
            ? .revoked : .member(members[device.member].role)
    }

    func isCurrent(_ member: Int, at time: Int64) -> Bool {
        !members[member].isRevoked && members[member].ends ?? .max > time
    }

    /// Whether the household has an owner without an end beside a member.
    func hasOwner(besides member: Int) -> Bool {
        members.indices.contains { other in
            other != member && members[other].role == .owner && !members[other].isRevoked
                && members[other].ends == nil
        }
    }

    mutating func revoke(member: Int) {
        members[member].isRevoked = true
        for identity in devices.keys where devices[identity]?.member == member {
            devices[identity]?.isRevoked = true
        }
    }
}
