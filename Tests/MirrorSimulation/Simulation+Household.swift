import Foundation
import SwitchyardCore
import SwitchyardMirror

/// Who comes into the household, and leaves it.
extension Simulation {
    /// Makes each disk's owner a member.
    mutating func found() {
        var household = SimulatedHousehold()
        for disk in disks {
            let role: HouseholdRole =
                disk.identity == 0 || random.chance(20) ? .owner : random.chance(25) ? .reader : .member
            let isOther = disk.identity > 0 && random.chance(25)
            if !isOther { household.members.append(SimulatedHousehold.Member(role: role)) }
            household.devices[disk.identity] = SimulatedHousehold.Device(
                member: household.members.count - 1, token: disk.content.token ?? 0)
        }
        server.disk.household = household
        oracle.noteHousehold(household)
    }

    private var disks: [(identity: Int, content: SimulatedDisk.Content)] {
        var seen: Set<ObjectIdentifier> = []
        return devices.filter { seen.insert(ObjectIdentifier($0.disk)).inserted }.map {
            ($0.disk.content.identity, $0.disk.content)
        }
    }

    /// Changes who belongs to the household.
    mutating func share(_ index: Int) throws {
        guard var household = server.disk.household else { return }
        switch random.below(10) {
        case 0..<3: try change(&household)
        case 3..<5:
            guard let member = household.members.indices.randomElement(using: &random),
                household.isCurrent(member, at: now), household.hasOwner(besides: member)
            else { return }
            note("member \(member) is revoked")
            household.revoke(member: member)
        case 5:
            let identity = devices[index].disk.content.identity
            guard household.devices[identity]?.isRevoked == false else { return }
            note("the device of file \(identity) is revoked")
            household.devices[identity]?.isRevoked = true
        default: return try join()
        }
        // What a restored server gets back, a device must be allowed to tell.
        oracle.forgetKept()
        set(household)
    }

    private mutating func change(_ household: inout SimulatedHousehold) throws {
        guard let member = household.members.indices.randomElement(using: &random),
            household.isCurrent(member, at: now)
        else { return }
        let role = HouseholdRole.allCases[random.below(3)]
        let ends = random.chance(30) ? now + 1 + Int64(random.below(300)) : nil
        guard role == .owner && ends == nil || household.hasOwner(besides: member) else { return }
        note("member \(member) becomes \(role)\(ends.map { " until \($0)" } ?? "")")
        (household.members[member].role, household.members[member].ends) = (role, ends)
    }

    private mutating func set(_ household: SimulatedHousehold) {
        server.setHousehold(household)
        oracle.noteHousehold(household)
    }

    /// Lets a device that is outside, or whose token the server does not know, accept an invitation.
    private mutating func join() throws {
        let others = devices.indices.filter { index in
            devices[index].link == .open
                && (devices[index].disk.content.token == nil || standing(of: devices[index]) == .unknown)
        }
        guard var household = server.disk.household, let index = others.randomElement(using: &random) else {
            return
        }
        let disk = devices[index].disk
        if disk.content.token != nil {
            // The mirror is ended first, and what was not sent is given up.
            var content = SimulatedDisk.Content(identity: disk.content.identity)
            (content.rows, content.clock) = (disk.content.rows, disk.content.clock)
            disk.content = content
        }
        // A copy of the file loses its token, and with it what it could tell a restored server.
        if household.devices[disk.content.identity]?.isRevoked == false { oracle.forgetKept() }
        tokens += 1
        disk.content.token = tokens
        let members = household.members.indices.filter { household.isCurrent($0, at: now) }
        let member: Int
        if let known = members.randomElement(using: &random), random.chance(30) {
            member = known
        } else {
            member = household.members.count
            household.members.append(
                SimulatedHousehold.Member(role: random.chance(25) ? .reader : .member))
        }
        household.devices[disk.content.identity] = SimulatedHousehold.Device(member: member, token: tokens)
        note("device \(index) joins as member \(member)")
        set(household)
        oracle.noteContents(of: disk)
        try sealOwnRows(of: devices[index])
        // Another process on the file still has the old token.
        devices[index].kill()
        try open(index)
    }

    /// Sends the rows that a file has had before it joined, as one mutation.
    private mutating func sealOwnRows(of device: SimulatedDevice) throws {
        let rows = device.disk.content.rows.rows.sorted { $0.key < $1.key }
        guard !rows.isEmpty else { return }
        device.setBases(Dictionary(uniqueKeysWithValues: rows.map { ($0.key, nil) }))
        let mutation = Mutation(
            id: random.uuid(), time: device.timeOfEdit(now), author: nil, cursor: 0,
            changes: rows.map { .insert($0.key, $0.value) })
        oracle.noteEdit(
            mutation.id, time: mutation.time, rows.map { RowWrite($0.key, before: nil, after: $0.value) },
            on: device.disk)
        device.seal([mutation])
    }
}
