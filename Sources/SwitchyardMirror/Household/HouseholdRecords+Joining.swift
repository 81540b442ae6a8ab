package import Foundation
package import SwitchyardCore

/// How people come into a household, and leave it.
extension HouseholdRecords {
    /// What a device says of itself when it joins.
    package struct Arrival: Sendable, Codable {
        /// The identity of its store.
        package let device: UUID
        /// The secret of its token, which the device has chosen: an answer that was lost is had again by the same request.
        package let secret: Data
        package let deviceName: String?
        /// The name of who joins; of no use where the invitation adds a device to a member.
        package let name: String?

        package init(device: UUID, secret: Data, deviceName: String?, name: String?) {
            (self.device, self.secret, self.deviceName, self.name) = (device, secret, deviceName, name)
        }

        var digest: Data { MirrorToken.digest(of: secret) }
    }

    /// How many members, devices of a member and open invitations a household has at most.
    private static let most = 100
    /// How many tokens a device has had that are answered with the end of its membership; older ones are unknown.
    private static let mostEarlierTokens = 16
    private static let longestName = 200
    private static let longestLifetime = 30 * 86_400
    /// In microseconds.
    private static let longestMembership: Int64 = 36_525 * 86_400 * 1_000_000

    /// Makes an invitation.
    ///
    /// - Parameters:
    ///   - terms: Its terms.
    ///   - identity: Who invites; nil for who runs the server.
    /// - Returns: The invitation's id and secret.
    /// - Throws: `notPermitted`; `invalidArgument` for terms that are out of range, or if there are too many invitations.
    package func invite(
        _ terms: InvitationTerms, by identity: HouseholdIdentity?
    ) throws -> (id: UUID, secret: Data) {
        // Everybody may add a device of their own.
        if terms.role != nil { try identity?.requireManager() }
        guard terms.role != nil || identity != nil, (1...Self.longestLifetime).contains(terms.lifetime),
            (1...Self.most).contains(terms.uses),
            terms.role != nil || terms.uses == 1 && terms.membershipEnds == nil,
            terms.membershipEnds.map({ isEnd($0) }) ?? true
        else {
            throw StoreError(
                .invalidArgument,
                "An invitation is open for up to 30 days and up to 100 people, and the membership ends in the "
                    + "future, within 100 years. An invitation of another device is for one device. Nothing was changed."
            )
        }
        let all = try invitations()
        for old in all where !isOpen(old) { try remove(invitation: old.id) }
        guard all.filter(isOpen).count < Self.most else { throw Self.tooMany("open invitations") }
        let secret = MirrorToken.newSecret()
        let invitation = Invitation(
            role: terms.role, digest: MirrorToken.digest(of: secret), uses: terms.uses,
            membershipEnds: terms.membershipEnds?.microseconds, inviter: identity?.member)
        let id = UUID()
        try put(Entry(id: id, number: now + Int64(terms.lifetime) * 1_000_000, content: invitation))
        return (id, secret)
    }

    /// Withdraws an invitation.
    ///
    /// - Throws: `notPermitted`; `notFound` if it is not open any more.
    package func withdraw(invitation id: UUID, by identity: HouseholdIdentity?) throws {
        guard let invitation = try invitation(id) else { throw Self.missing("invitation") }
        if invitation.content.inviter == nil || invitation.content.inviter != identity?.member {
            try identity?.requireManager()
        }
        try remove(invitation: id)
    }

    /// Accepts an invitation; a device that has done so before is in the household already.
    ///
    /// - Throws: `notPermitted` for an invitation that has expired, was withdrawn or accepted as often as it can be;
    ///   `identityConflict` if the device belongs to another member; `invalidArgument` for a name that is none.
    package func accept(_ token: MirrorToken, _ arrival: Arrival) throws -> HouseholdIdentity {
        if let known = try device(arrival.device), !known.content.isRevoked,
            known.content.digest.isEqualInConstantTime(to: arrival.digest), try isActive(known.content.member)
        {
            return try identity(
                of: MirrorToken(.device, scope: token.scope, id: arrival.device, secret: arrival.secret))
        }
        var invitation = try requireOpen(token)
        let member: UUID
        if let role = invitation.content.role {
            member = try add(
                Member(
                    name: try Self.required(arrival.name), role: role, subject: nil,
                    ends: invitation.content.membershipEnds))
        } else {
            guard let inviter = invitation.content.inviter else { throw StoreError.closedInvitation }
            member = inviter
        }
        try add(arrival, to: member)
        invitation.content.uses -= 1
        if invitation.content.uses > 0 {
            try put(invitation)
        } else {
            try remove(invitation: invitation.id)
        }
        return try identity(
            of: MirrorToken(.device, scope: token.scope, id: arrival.device, secret: arrival.secret))
    }

    /// The invitation of a token, as long as it can be accepted.
    ///
    /// - Throws: `notPermitted` for one that has expired, was withdrawn or accepted as often as it can be.
    func requireOpen(_ token: MirrorToken) throws -> Entry<Invitation> {
        guard token.kind == .invitation, let invitation = try invitation(token.id),
            invitation.content.digest.isEqualInConstantTime(to: token.digest), isOpen(invitation)
        else { throw StoreError.closedInvitation }
        if let inviter = invitation.content.inviter {
            // Only an owner lets others in, until they come.
            guard let member = try member(inviter)?.content, isCurrent(member),
                invitation.content.role == nil || member.role.mayManage
            else { throw StoreError.closedInvitation }
        }
        return invitation
    }

    /// Brings a person whom the app's own login knows into the household, or another device of that person.
    ///
    /// - Parameters:
    ///   - subject: The person's id there.
    ///   - role: The role of a person who is no member yet; nil if only members may come.
    ///   - arrival: The device.
    ///   - scope: The household's scope.
    /// - Returns: The member.
    /// - Throws: `notPermitted` for a person who is no member; as `accept(_:_:)`.
    package func admit(
        _ subject: String, as role: HouseholdRole?, _ arrival: Arrival, scope: StoreScope?
    ) throws -> HouseholdIdentity {
        let known = try members().first { $0.content.subject == subject && isCurrent($0.content) }
        guard known != nil || role != nil else {
            throw StoreError(
                .notPermitted,
                "You are no member of this household. Ask an owner for an invitation; nothing was changed.")
        }
        let member =
            try known?.id
            ?? add(
                Member(
                    name: try Self.required(arrival.name), role: role ?? .member, subject: subject, ends: nil)
            )
        let device = try device(arrival.device)?.content
        if device?.isRevoked != false || device?.digest != arrival.digest || device?.member != member {
            try add(arrival, to: member)
        }
        return try identity(
            of: MirrorToken(.device, scope: scope, id: arrival.device, secret: arrival.secret))
    }

    private func add(_ member: Member) throws -> UUID {
        guard try members().filter({ isCurrent($0.content) }).count < Self.most else {
            throw Self.tooMany("members")
        }
        let id = UUID()
        try put(Entry(id: id, number: now, content: member))
        return id
    }

    private func add(_ arrival: Arrival, to member: UUID) throws {
        let known = try device(arrival.device)
        // A copy of a store, or one that was purged, gets a new token; nobody gets that of another member's device.
        if let known, !known.content.isRevoked, known.content.member != member,
            try isActive(known.content.member)
        {
            throw StoreError(
                .identityConflict,
                "This device belongs to another member of the household. End that membership first; nothing was changed."
            )
        }
        let own = try devices().filter { $0.content.member == member && !$0.content.isRevoked }
        guard known != nil || own.count < Self.most else { throw Self.tooMany("devices") }
        let earlier = known.map { ($0.content.earlier ?? []) + [$0.content.digest] } ?? []
        let ended = earlier.filter { $0 != arrival.digest }.suffix(Self.mostEarlierTokens)
        let device = Device(
            id: arrival.device, member: member, name: try arrival.deviceName.map { try Self.required($0) },
            digest: arrival.digest, earlier: ended.isEmpty ? nil : Array(ended))
        try put(Entry(id: Self.recordID(ofDevice: arrival.device), number: now, content: device))
    }

    // MARK: Changes

    /// Changes a member's role, and when the membership ends.
    ///
    /// The invitations of an owner who becomes something else are withdrawn, but for those of own devices.
    ///
    /// - Throws: `notPermitted`; `notFound`; `invalidArgument` if no owner would be left.
    package func change(
        _ member: UUID, to role: HouseholdRole, ends: Date?, by identity: HouseholdIdentity?
    ) throws {
        try identity?.requireManager()
        guard ends.map({ isEnd($0) }) ?? true else {
            throw StoreError(
                .invalidArgument, "A membership ends in the future, within 100 years. Nothing was changed.")
        }
        guard var entry = try self.member(member), isCurrent(entry.content) else {
            throw Self.missing("member")
        }
        if role != .owner || ends != nil { try requireOtherOwner(than: member) }
        if !role.mayManage { try removeInvitations(of: member) { $0.role != nil } }
        (entry.content.role, entry.content.ends) = (role, ends?.microseconds)
        try put(entry)
    }

    /// Ends a membership: nothing that the member's devices send from now on is carried out.
    ///
    /// - Throws: `notPermitted` for another's; `notFound`; `invalidArgument` if no owner would be left.
    package func revoke(member: UUID, by identity: HouseholdIdentity?) throws {
        if identity?.member != member { try identity?.requireManager() }
        guard var entry = try self.member(member), isCurrent(entry.content) else {
            throw Self.missing("member")
        }
        try requireOtherOwner(than: member)
        try removeInvitations(of: member) { _ in true }
        func end(_ device: Entry<Device>) throws {
            var device = device
            device.content.isRevoked = true
            try put(device)
        }
        let devices = try devices().filter { $0.content.member == member && !$0.content.isRevoked }
        // Who leaves has a right to all this until the membership has ended, and then to end the own device alone.
        for device in devices where device.content.id != identity?.device { try end(device) }
        entry.content.isRevoked = true
        try put(entry)
        for device in devices where device.content.id == identity?.device { try end(device) }
    }

    /// Removes one device, such as a phone that was lost; its member stays.
    ///
    /// - Throws: `notPermitted` for another member's; `notFound`; `invalidArgument` for the last device of the last owner.
    package func revoke(device: UUID, by identity: HouseholdIdentity?) throws {
        guard var entry = try self.device(device), !entry.content.isRevoked else {
            throw Self.missing("device")
        }
        let member = entry.content.member
        if identity?.member != member { try identity?.requireManager() }
        if try otherDevices(than: device, of: member).isEmpty { try requireOtherOwner(than: member) }
        entry.content.isRevoked = true
        try put(entry)
    }

    /// Takes a device, and with the last one its member, out of the household.
    ///
    /// - Throws: `invalidArgument` for the last device of the last owner.
    package func leave(_ identity: HouseholdIdentity) throws {
        if try otherDevices(than: identity.device, of: identity.member).isEmpty {
            try revoke(member: identity.member, by: identity)
        } else {
            try revoke(device: identity.device, by: identity)
        }
    }

    private func otherDevices(than device: UUID, of member: UUID) throws -> [Entry<Device>] {
        try devices().filter {
            $0.content.member == member && !$0.content.isRevoked && $0.content.id != device
        }
    }

    private func removeInvitations(of member: UUID, where isConcerned: (Invitation) -> Bool) throws {
        for invitation in try invitations()
        where invitation.content.inviter == member && isConcerned(invitation.content) {
            try remove(invitation: invitation.id)
        }
    }

    private func requireOtherOwner(than member: UUID) throws {
        let used = Set(try devices().filter { !$0.content.isRevoked }.map(\.content.member))
        // An owner without a device can do nothing, except one who comes back by the app's own login.
        let owners = try members().filter {
            $0.content.role == .owner && isCurrent($0.content) && $0.content.ends == nil
                && ($0.content.subject != nil || used.contains($0.id))
        }
        guard owners.contains(where: { $0.id != member }) || !owners.contains(where: { $0.id == member })
        else {
            throw StoreError(
                .invalidArgument,
                "The household would have no owner any more. Make another member an owner first; nothing was changed."
            )
        }
    }

    /// Whether a membership can end at a date: in the future, and within 100 years.
    private func isEnd(_ date: Date) -> Bool {
        let end = date.microseconds
        return end > now && end - now < Self.longestMembership
    }

    private func isActive(_ member: UUID) throws -> Bool {
        try self.member(member).map { isCurrent($0.content) } ?? false
    }

    private static func required(_ name: String?) throws -> String {
        let name = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard !name.isEmpty, name.count <= longestName, !name.unicodeScalars.contains(where: \.isControl)
        else {
            throw StoreError(
                .invalidArgument,
                "A member and a device have a name of up to \(longestName) characters, without line breaks. Nothing was changed."
            )
        }
        return name
    }

    private static func tooMany(_ things: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "The household has \(most) \(things) already, which is the most. Nothing was changed.")
    }

    private static func missing(_ thing: String) -> StoreError {
        StoreError(.notFound, "The household has no such \(thing) any more. Nothing was changed.")
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}

extension StoreError {
    fileprivate static var closedInvitation: StoreError {
        StoreError(
            .notPermitted,
            "The invitation has expired, was withdrawn, or was accepted as often as it can be. Ask for another one; nothing "
                + "was changed.")
    }
}
