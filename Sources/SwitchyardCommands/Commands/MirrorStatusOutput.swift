internal import Foundation
package import SwitchyardCore
package import SwitchyardMirror

/// A store's part in a mirror in the command's output.
package struct MirrorOutput: Encodable {
    /// `device`, `server` or `none`.
    let part: String
    /// The URL of the configured server.
    @OrNull var server: String?
    @OrNull var serverID: String?
    let pending: Int
    let rejected: Int
    let conflicts: Int
    @OrNull var lastExchange: Date?
    @OrNull var household: MembershipOutput?

    package init(_ role: MirrorRole?, _ counts: MirrorCounts, server: String?) {
        part = role.map { $0.isDevice ? "device" : "server" } ?? "none"
        self.pending = counts.pending
        rejected = counts.rejected
        conflicts = counts.conflicts
        self.server = server
        serverID = role?.server?.uuidString.lowercased()
        lastExchange = counts.lastExchange
        household = counts.membership.map { MembershipOutput($0) }
    }

    package var lines: [String] {
        switch part {
        case "none":
            guard let household, household.hasEnded else { return ["The store is not mirrored."] }
            let kept = "rejected       \(Terminal.count(rejected, "write", "writes"))"
            return household.lines + (rejected > 0 ? [kept, "See the command mirror conflicts."] : [])
        case "server": return ["The store is the server of a mirror.", "conflicts      \(conflicts)"]
        default:
            // A store that has joined a household knows its service itself.
            let place = server ?? (household == nil ? "not configured" : "the household's service")
            return [
                "server         \(place), store id \(serverID ?? "unknown")",
                "last exchange  \(lastExchange.map { ISO8601DateFormatter().string(from: $0) } ?? "never")",
                "pending        \(Terminal.count(pending, "write", "writes"))",
                "rejected       \(Terminal.count(rejected, "write", "writes"))",
                "conflicts      \(conflicts)",
            ] + (household?.lines ?? [])
        }
    }
}

/// What a store knows of its household in the command's output.
struct MembershipOutput: Encodable {
    /// When the service has told it.
    let noted: Date
    let hasEnded: Bool
    @OrNull var name: String?
    @OrNull var role: String?
    @OrNull var ends: Date?
    @OrNull var members: Int?
    @OrNull var devices: Int?
    /// What to do; nil if nothing is.
    @OrNull var advice: String?

    init(_ membership: Membership) {
        (noted, hasEnded) = (membership.noted, membership.hasEnded(at: Date()))
        advice =
            if hasEnded {
                "The membership of the household has ended. Ask an owner for an invitation, and join by its link."
            } else if membership.member?.role.mayWrite == false {
                "A reader's writes are rejected. Ask an owner for the role of a member to write."
            } else { nil }
        name = membership.member?.name
        role = membership.member?.role.rawValue
        ends = membership.member?.ends
        members = membership.household?.members.count
        devices = membership.household?.members.reduce(0) { $0 + $1.devices.count }
    }

    var lines: [String] {
        let time = ISO8601DateFormatter()
        var lines: [String] = []
        if let name, let role {
            lines.append(
                "member         \(name), \(role)" + (ends.map { ", until \(time.string(from: $0))" } ?? ""))
        }
        if let members, let devices {
            let counts =
                "\(Terminal.count(members, "member", "members")), \(Terminal.count(devices, "device", "devices"))"
            lines.append("household      \(counts), as of \(time.string(from: noted))")
        }
        return lines + [advice].compactMap(\.self)
    }
}
