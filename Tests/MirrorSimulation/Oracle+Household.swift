import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What the household's members may do.
extension Oracle {
    /// Notes who belongs to the household: by what people have decided, or by a backup from which the server was restored.
    func noteHousehold(_ household: SimulatedHousehold) { self.household = household }

    private func standing(of content: SimulatedDisk.Content, at time: Int64) -> SimulatedHousehold.Standing? {
        household?.standing(of: content.token, identity: content.identity, at: time)
    }

    /// Checks that a transaction of the server is that of somebody who may write.
    func requireRight(_ sender: SimulatedServer.Requester, at time: Int64) throws {
        guard let household else { return }
        switch household.standing(of: sender.token, identity: sender.identity, at: time) {
        case .member(let role) where role != .reader: break
        case .member: throw Simulation.Failure("a reader has changed rows")
        case .revoked: throw Simulation.Failure("somebody has written after a revocation")
        case .unknown: throw Simulation.Failure("a stranger has written")
        }
    }

    /// Whether the sender is a reader.
    func isReader(_ sender: SimulatedServer.Requester, at time: Int64) -> Bool {
        household?.standing(of: sender.token, identity: sender.identity, at: time) == .member(.reader)
    }

    /// Notes that a server tells a device that its membership has ended, and checks that it has.
    func noteRevoked(_ sender: SimulatedServer.Requester, at time: Int64) throws {
        revoked.insert(sender)
        guard household?.standing(of: sender.token, identity: sender.identity, at: time) == .revoked else {
            throw Simulation.Failure("a member was told that the membership has ended")
        }
    }

    /// Whether a restored server takes from a device what it has lost, as long as nobody ends that.
    func mayTell(_ device: SimulatedDevice, at time: Int64) -> Bool {
        guard let household else { return true }
        let content = device.disk.content
        guard
            case .member(let role) = household.standing(
                of: content.token, identity: content.identity, at: time),
            let member = household.devices[content.identity]?.member
        else { return false }
        return role.mayWrite && household.members[member].ends == nil
    }

    /// Checks what is left of the household in a file whose membership has ended: the writes that were not decided on, as
    /// rejected ones.
    ///
    /// - Parameters:
    ///   - disk: The file.
    ///   - before: What it had before.
    /// - Throws: A `Failure`.
    func requirePurged(_ disk: SimulatedDisk, before: SimulatedDisk.Content) throws {
        let requester = SimulatedServer.Requester(identity: before.identity, token: before.token)
        guard before.token == nil || revoked.contains(requester) else {
            throw Simulation.Failure("purged, and nobody has said so")
        }
        let content = disk.content
        guard content.rows.rows.isEmpty, content.hasNothingOfMirror else {
            throw Simulation.Failure("a purged device still has something of the household")
        }
        for id in before.undecided where content.quarantine[id]?.code != .membership {
            throw Simulation.Failure("a write is gone with the membership")
        }
        noteContents(of: disk)
        forgetKept()
    }

    /// Checks that a device that is opened shows a state that the server had, with its pending changes on top.
    func checkOpened(_ device: SimulatedDevice) throws {
        let content = device.disk.content
        guard household != nil, content.token != nil, let cursor = content.cursor, content.unsealed.isEmpty,
            // Rows that are being offered are those of a state that the server has lost.
            !content.outbox.contains(where: \.isOffer)
        else { return }
        try checkApplied(device, upTo: cursor)
    }

    /// The devices that show what the server has; checks that those outside have nothing of the household.
    func members(among devices: [SimulatedDevice], at time: Int64) throws -> [SimulatedDevice] {
        try devices.filter { device in
            let content = device.disk.content
            guard content.token != nil else {
                guard content.hasNothingOfMirror else {
                    throw Simulation.Failure("a device outside still has something of the household")
                }
                return false
            }
            switch standing(of: content, at: time) {
            case .member, nil: return true
            case .revoked: throw Simulation.Failure("revoked, and not told")
            // Nothing is removed, and nothing is exchanged.
            case .unknown: return false
            }
        }
    }
}

extension SimulatedDisk.Content {
    /// Whether the mirror has kept nothing but rejected writes.
    fileprivate var hasNothingOfMirror: Bool {
        token == nil && cursor == nil && unsealed.isEmpty && outbox.isEmpty && bases.isEmpty && trail.isEmpty
            && received.isEmpty && stages.isEmpty
    }
}
