internal import Foundation
internal import Switchyard
internal import SwitchyardMirror

extension ReadTransaction {
    /// Checks that the member of the household to whom the device belongs may change what it holds.
    ///
    /// - Throws: `BabyMonitorError` with code `notPermitted`, and a sentence that says whom to ask.
    func requireMayChange(at date: Date) throws {
        do { try requireWritingMember(at: date) } catch let error as StoreError {
            switch error.code {
            case .notPermitted:
                throw BabyMonitorError(
                    .notPermitted,
                    "You may look at this household, and not change it. Ask \(try ownerNames()) to make you a member; nothing "
                        + "was changed.")
            case .revoked:
                throw BabyMonitorError(
                    .notPermitted,
                    "Your time in this household is over. Ask \(try ownerNames()) for more; nothing was changed."
                )
            default: throw error
            }
        }
    }

    /// Checks that the member of the household to whom the device belongs may invite others.
    ///
    /// - Throws: `BabyMonitorError` with code `notPermitted`.
    func requireMayInvite(at date: Date) throws {
        guard let membership = try membership(), !membership.hasEnded(at: date) else {
            throw BabyMonitorError(
                .notPermitted,
                "This device belongs to no household. Join one by a link first; nothing was changed.")
        }
        guard membership.member?.role.mayManage == true else {
            throw BabyMonitorError(
                .notPermitted, "Only \(try ownerNames()) may invite others; nothing was changed.")
        }
    }

    private func ownerNames() throws -> String {
        let owners = try membership()?.household?.members.filter { $0.role == .owner }.map(\.name) ?? []
        return owners.isEmpty ? "an owner" : owners.joined(separator: " or ")
    }
}
