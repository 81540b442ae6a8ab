package import Foundation
package import SwitchyardCore

/// Who belongs to a household, as its server's store keeps it beside the rows.
///
/// Each change is made in a transaction of the household's scope, so that it is in one order with every upload. The records
/// are JSON, which the policies of row-level security read as well.
package struct HouseholdRecords {
    private let records: MirrorRecords
    /// The server's time in microseconds since 1970.
    let now: Int64

    package init(_ transaction: ReadTransaction, now: Int64) {
        (records, self.now) = (MirrorRecords(transaction), now)
    }

    struct Member: Codable {
        var name: String
        var role: HouseholdRole
        /// The member's id in the app's own login; nil if there is none.
        var subject: String?
        /// The time in microseconds since 1970 at which the membership ends by itself.
        var ends: Int64?
        /// Whether it was ended; a clock that is set back does not bring it back.
        var isRevoked = false
    }

    struct Device: Codable {
        /// The identity of the device's store.
        let id: UUID
        let member: UUID
        var name: String?
        /// The digest of its token.
        var digest: Data
        /// The digests of the tokens that it has had before; nil for none.
        var earlier: [Data]?
        var lastSeen: Int64?
        var isRevoked = false
    }

    struct Invitation: Codable {
        /// Nil for another device of the inviter.
        let role: HouseholdRole?
        let digest: Data
        var uses: Int
        let membershipEnds: Int64?
        /// Nil for one that was made on the server.
        let inviter: UUID?
    }

    /// A record with its content.
    struct Entry<Content> {
        let id: UUID
        /// The number of the record, a time.
        let number: Int64
        var content: Content
    }

    // MARK: Identity

    /// The member whose device has a token.
    ///
    /// - Throws: `authentication` for a token that the household does not know; `revoked` for one that it knew.
    package func identity(of token: MirrorToken) throws -> HouseholdIdentity {
        guard token.kind == .device, let device = try device(token.id)?.content else {
            throw StoreError.unknownToken
        }
        guard device.digest.isEqualInConstantTime(to: token.digest) else {
            // A phone that was lost hears of its end also after its backup has joined anew.
            let isEarlier = device.earlier?.contains { $0.isEqualInConstantTime(to: token.digest) } ?? false
            throw isEarlier ? StoreError.revoked : StoreError.unknownToken
        }
        guard !device.isRevoked, let member = try member(device.member)?.content, isCurrent(member) else {
            throw StoreError.revoked
        }
        return HouseholdIdentity(
            member: device.member, name: member.name, role: member.role, device: device.id,
            deviceName: device.name)
    }

    func isCurrent(_ member: Member) -> Bool { !member.isRevoked && member.ends ?? .max > now }

    /// The time between two notes of when a device has sent something, in microseconds.
    private static let noteInterval: Int64 = 3_600_000_000

    /// Whether a note of when the device has sent something last is due: one an hour.
    package func isNoteDue(of device: UUID) throws -> Bool {
        try self.device(device)?.content.lastSeen ?? 0 < now - Self.noteInterval
    }

    /// Notes that a device has sent something.
    package func noteSeen(_ device: UUID) throws {
        guard var entry = try self.device(device) else { return }
        entry.content.lastSeen = now
        try put(entry)
    }

    // MARK: The household as a whole

    /// The household as one of its members sees it, or who runs the server.
    package func household(of identity: HouseholdIdentity?) throws -> Household {
        let devices = try devices().filter { !$0.content.isRevoked }
        let members = try members().filter { isCurrent($0.content) }
        let open = identity?.role.mayManage ?? true ? try invitations().filter(isOpen) : []
        return Household(
            me: identity?.member,
            members: members.map { member in
                Household.Member(
                    id: member.id, name: member.content.name, role: member.content.role,
                    joined: Date(microseconds: member.number),
                    ends: member.content.ends.map { Date(microseconds: $0) },
                    devices: devices.filter { $0.content.member == member.id }.map { device in
                        Household.Device(
                            id: device.content.id, name: device.content.name,
                            joined: Date(microseconds: device.number),
                            lastSeen: device.content.lastSeen.map { Date(microseconds: $0) })
                    })
            },
            invitations: open.map { invitation in
                Household.Invitation(
                    id: invitation.id, role: invitation.content.role, inviter: invitation.content.inviter,
                    expires: Date(microseconds: invitation.number), uses: invitation.content.uses,
                    membershipEnds: invitation.content.membershipEnds.map { Date(microseconds: $0) })
            })
    }

    func isOpen(_ invitation: Entry<Invitation>) -> Bool {
        invitation.number > now && invitation.content.uses > 0
    }

    // MARK: Records

    func members() throws -> [Entry<Member>] { try records.all(.member).map(Self.entry) }
    func devices() throws -> [Entry<Device>] { try records.all(.device).map(Self.entry) }
    func invitations() throws -> [Entry<Invitation>] { try records.all(.invitation).map(Self.entry) }

    func member(_ id: UUID) throws -> Entry<Member>? { try records.record(.member, id).map(Self.entry) }
    func device(_ id: UUID) throws -> Entry<Device>? {
        try records.record(.device, Self.recordID(ofDevice: id)).map(Self.entry)
    }
    func invitation(_ id: UUID) throws -> Entry<Invitation>? {
        try records.record(.invitation, id).map(Self.entry)
    }

    func put(_ entry: Entry<Member>) throws { try put(.member, entry) }
    func put(_ entry: Entry<Device>) throws { try put(.device, entry) }
    func put(_ entry: Entry<Invitation>) throws { try put(.invitation, entry) }

    func remove(invitation id: UUID) throws { try records.remove(.invitation, [id]) }

    /// The id of a device's record.
    ///
    /// A device names itself, and must not name another record.
    static func recordID(ofDevice id: UUID) -> UUID { DerivedID(namespace: id).uuid(["device"]) }

    private func put(_ kind: MirrorRecords.Kind, _ entry: Entry<some Encodable>) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try records.put(
            kind, id: entry.id, number: entry.number, [UInt8](try encoder.encode(entry.content)))
    }

    private static func entry<Content: Decodable>(_ record: MirrorRecords.Record) throws -> Entry<Content> {
        do {
            return Entry(
                id: record.id, number: record.number,
                content: try JSONDecoder().decode(Content.self, from: Data(record.data)))
        } catch {
            throw StoreError(
                .corrupted,
                "A record of who belongs to the household cannot be read. Restore it from a backup.",
                entity: Entity.mirrorRecord.name, underlying: error)
        }
    }
}

/// A device of a household, and the member to whom it belongs.
package struct HouseholdIdentity: Sendable, Hashable {
    package let member: UUID
    package let name: String
    package let role: HouseholdRole
    package let device: UUID
    package let deviceName: String?

    /// Checks that the member decides on who belongs to the household.
    ///
    /// - Throws: `notPermitted`.
    func requireManager() throws {
        guard role.mayManage else {
            throw StoreError(
                .notPermitted, "Only an owner of the household may do this. Ask one; nothing was changed.")
        }
    }
}

extension Date {
    init(microseconds: Int64) { self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

    /// Microseconds since 1970, within what a comparison of times knows.
    var microseconds: Int64 {
        Int64(min(max(timeIntervalSince1970 * 1_000_000, -9e18), 9e18))
    }
}

extension StoreError {
    package static var unknownToken: StoreError {
        StoreError(
            .authentication,
            "The service does not know this device. Check the address and the token, or join the household once more; the "
                + "rows stay as they are.")
    }

    package static var revoked: StoreError {
        StoreError(
            .revoked,
            "The membership of the household has ended, or this device was removed from it. Ask an owner for an invitation."
        )
    }
}
