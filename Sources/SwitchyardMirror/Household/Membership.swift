public import Foundation
public import SwitchyardCore

/// What a device's store knows of its membership in a household without asking the service.
///
/// It is as old as the last time that the service was reached (`noted`).
public struct Membership: Sendable, Hashable {
    /// The household, as the service has told it last; nil after it has told that the membership has ended.
    public let household: Household?
    /// When it was told.
    public let noted: Date

    /// The member to whom the device belongs; nil after the end.
    public var member: Household.Member? { household?.ownMember }

    /// Whether the membership has ended by a time: the service has said so, or its end date has passed.
    public func hasEnded(at date: Date) -> Bool { member.map { $0.ends ?? .distantFuture <= date } ?? true }

    /// The member to whom a device of the household belongs; nil for one that the household does not know, or not any more.
    public func member(ofDevice id: UUID) -> Household.Member? {
        household?.members.first { $0.devices.contains { $0.id == id } }
    }
}

extension Store {
    /// What the store knows of its membership in a household; nil for a store that has never been in one.
    ///
    /// - Throws: As a read.
    public func membership() async throws -> Membership? { try await read { try $0.membership() } }
}

extension ReadTransaction {
    /// What the store knows of its membership in a household; nil for a store that has never been in one.
    ///
    /// - Throws: As a read.
    public func membership() throws -> Membership? { try HouseholdNote.membership(self) }

    /// Checks that what is written now can become a part of the household, as far as the device knows.
    ///
    /// A reader's write would be rejected by the server and kept on the device: an app calls this first, so that it is not
    /// made at all. A store without a household may be written.
    ///
    /// - Throws: `notPermitted` for a reader, `revoked` after the end of the membership; both with a sentence for people.
    public func requireWritingMember(at date: Date) throws {
        guard let membership = try membership(), let member = membership.member else { return }
        guard !membership.hasEnded(at: date) else {
            throw StoreError(
                .revoked,
                "The membership of the household has ended. Ask an owner to renew it; nothing was changed.")
        }
        guard member.role.mayWrite else {
            throw StoreError(
                .notPermitted,
                "A reader of the household may look at it, and not change it. Ask an owner for the role of a member; nothing was "
                    + "changed.")
        }
    }
}

/// The record of a membership in the device's own store.
struct HouseholdNote: Codable {
    /// Nil after the end of the membership.
    let household: Household?

    private static let id = UUID.numbered(-3)

    static func membership(_ transaction: ReadTransaction) throws -> Membership? {
        guard let record = try MirrorRecords(transaction).record(.household, id) else { return nil }
        do {
            let note = try JSONDecoder().decode(HouseholdNote.self, from: Data(record.data))
            return Membership(household: note.household, noted: Date(microseconds: record.number))
        } catch {
            throw StoreError(
                .corrupted,
                "What the store knows of its household cannot be read. Leave it and join once more, or restore a backup.",
                entity: Entity.mirrorRecord.name)
        }
    }

    func write(_ transaction: WriteTransaction, at time: Date) throws {
        try MirrorRecords(transaction).put(
            .household, id: Self.id, number: time.microseconds, [UInt8](try JSONEncoder().encode(self)))
    }
}

extension Store {
    /// Notes the household as the service tells it, unless that is known and was told within the hour.
    func note(_ household: Household, at time: Date) async throws {
        if let known = try await membership(), known.household == household,
            abs(known.noted.timeIntervalSince(time)) < 3_600
        {
            return
        }
        try await write { try HouseholdNote(household: household).write($0, at: time) }
    }
}
