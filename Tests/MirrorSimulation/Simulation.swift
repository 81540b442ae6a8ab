import Foundation
import SwitchyardCore
import SwitchyardMirror

/// A household's devices and its server, in one thread and in virtual time, with everything that can go wrong.
///
/// Everything follows from the seed, so that a failure can be repeated.
public struct Simulation {
    /// What the mirror promised and did not keep.
    public struct Failure: Error, CustomStringConvertible {
        /// The promise, and the row or the devices that show it.
        public let description: String
        init(_ description: String) { self.description = description }
    }

    private enum Packet {
        case request(ExchangeRequest, Sender)
        case rowsRequest(RowsRequest, Sender)
        case answer(ExchangeAnswer, Sender)
    }

    /// A request's number, its device, and which of the device's processes sent it: no other gets the answer.
    private struct Sender {
        let number: Int
        let device: Int
        let process: Int
    }

    private var random: SeededGenerator
    private let bug: PlantedBug?
    private let keys: [RowKey]
    private let server: SimulatedServer
    private let oracle: Oracle
    private var devices: [SimulatedDevice] = []
    private var network: [Packet] = []
    private var now: Int64 = 1_000
    private var value: Int64 = 100
    private var diskBackups: [(SimulatedDisk.Content, SimulatedDisk)] = []
    private var serverBackup: SimulatedServer.Disk?
    private var diskRestores = 0
    private var serverRestores = 0
    private var isCalm = false
    /// What has happened, one line for each step, if it is asked for.
    public var trace: [String] { record?.lines ?? [] }
    private let record: Record?

    private final class Record { var lines: [String] = [] }

    /// Prepares the simulation of a seed.
    ///
    /// - Parameters:
    ///   - seed: Decides everything that happens.
    ///   - world: The rows that are edited.
    ///   - bug: A mistake to make; nil for none.
    ///   - isTraced: Whether to note what happens.
    public init(
        seed: UInt64, world: SimulatedWorld = .family, bug: PlantedBug? = nil, isTraced: Bool = false
    ) {
        keys = SimulatedSchema.keys(of: world)
        random = SeededGenerator(seed: seed)
        self.bug = bug
        record = isTraced ? Record() : nil
        let oracle = Oracle()
        self.oracle = oracle
        server = SimulatedServer(
            bug: bug, transactionsPerPage: 1 + random.below(4),
            observe: { try oracle.observe($0, before: $1, conflicts: $2) },
            observeVerdict: { try oracle.observe($0, on: $1, $2) })
        for _ in 0..<(2 + random.below(3)) { addDevice(on: SimulatedDisk()) }
        // A widget or a second process on the first device's file.
        if random.chance(30) { addDevice(on: devices[0].disk) }
    }

    private mutating func addDevice(on disk: SimulatedDisk) {
        let skew = random.chance(30) ? Int64(random.below(4_000)) - 2_000 : Int64(random.below(10))
        devices.append(SimulatedDevice(disk: disk, skew: skew, bug: bug, stageID: random.uuid()))
    }

    /// Runs the simulation and checks what the mirror promises.
    ///
    /// - Throws: A `Failure`.
    public mutating func run(steps: Int) throws {
        for index in devices.indices { try tell(index, devices[index].opened()) }
        for _ in 0..<steps { try step() }
        try comeToRest()
        try oracle.check(server, devices, serverRestores: serverRestores, diskRestores: diskRestores)
    }

    // MARK: Steps

    private mutating func step() throws {
        now += Int64(random.below(20))
        server.now = now
        let index = random.below(devices.count)
        switch random.below(100) {
        case 0..<22: try edit(index)
        case 22..<40: try tell(index, .reachable)
        case 40..<55: try tell(index, .tick)
        case 55..<88: try passOn()
        case 88..<91: try kill(index)
        case 91..<93: diskBackups.append((devices[index].disk.content, devices[index].disk))
        case 93:
            guard diskRestores < 2, let (content, disk) = diskBackups.randomElement(using: &random) else {
                return
            }
            note("a disk is restored")
            diskRestores += 1
            disk.content = content
            for other in devices.indices where devices[other].disk === disk { try kill(other) }
        case 94:
            guard devices.count < 7, diskRestores < 2 else { return }
            note("device \(index) is cloned as \(devices.count)")
            diskRestores += 1
            let disk = SimulatedDisk()
            disk.content = devices[index].disk.content
            addDevice(on: disk)
            try tell(devices.count - 1, devices[devices.count - 1].opened())
        case 95: if serverBackup == nil { serverBackup = server.disk }
        case 96 where random.chance(50):
            // Verdicts and history of long ago are forgotten.
            guard random.chance(30) else { return }
            server.disk.pruned = max(server.disk.pruned, server.disk.history.count - random.below(20))
            oracle.notePruning()
            note("the server forgets the first \(server.disk.pruned) transactions")
        case 96:
            guard let backup = serverBackup, serverRestores == 0 else { return }
            note("the server is restored from \(server.disk.history.count) to \(backup.history.count)")
            serverRestores += 1
            oracle.noteRestore(of: server, to: backup, devices, diskRestores: diskRestores)
            server.disk = backup
        default: devices[index].skew = random.chance(50) ? 0 : Int64(random.below(100_000)) - 50_000
        }
    }

    private mutating func kill(_ index: Int) throws {
        note("device \(index) is killed")
        devices[index].kill(&random)
        try tell(index, devices[index].opened())
    }

    /// Delivers, drops or doubles one packet, not always the oldest.
    private mutating func passOn() throws {
        guard !network.isEmpty else { return }
        let position = random.below(network.count)
        let packet = network[position]
        if random.chance(12) {
            network.remove(at: position)
            return
        }
        if !random.chance(10) { network.remove(at: position) }
        try deliver(packet)
    }

    private mutating func deliver(_ packet: Packet) throws {
        now += 1
        server.now = now
        switch packet {
        case .request(var request, let sender):
            if bug == .seenIsIgnored { request.seen = nil }
            note(
                "server <- \(sender.device) #\(sender.number) from \(request.cursor.sequence), \(request.mutations.count) mutations "
                    + request.mutations.map(Self.describe).joined(separator: "; "))
            var answer = try server.exchange(request)
            if bug == .verdictsWithoutRows, case .page(var page) = answer {
                let changed = server.changes(after: request.cursor).rows
                page.rows.removeAll { changed[$0.key] == nil }
                answer = .page(page)
            }
            network.append(.answer(answer, sender))
        case .rowsRequest(var request, let sender):
            if bug == .seenIsIgnored { request.seen = nil }
            note("server <- \(sender.device) #\(sender.number) all rows")
            network.append(.answer(try server.answer(request), sender))
        case .answer(let answer, let sender):
            guard sender.process == devices[sender.device].process else { return }
            note("\(sender.device) <- #\(sender.number) \(Self.describe(answer))")
            let number = bug == .staleAnswer ? numbers[sender.device] ?? sender.number : sender.number
            try tell(sender.device, .answer(answer, to: number))
        }
    }

    /// The number of each device's newest request.
    private var numbers: [Int: Int] = [:]

    /// Tells a device's engine of an event, and carries out what it does; the device can be killed before each effect.
    private mutating func tell(_ index: Int, _ event: MirrorEngine.Event) throws {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            let effects = devices[index].engine.handle(event, now: now)
            note("   \(index) \(Self.describe(event))")
            for effect in effects {
                if !isCalm, random.chance(1) {
                    note("device \(index) is killed before an effect")
                    devices[index].kill(&random)
                    return try tell(index, devices[index].opened())
                }
                switch effect {
                case .send(let request, let number): network.append(.request(request, sender(index, number)))
                case .sendRows(let request, let number):
                    network.append(.rowsRequest(request, sender(index, number)))
                case .wake(let time): devices[index].wakesAt = time
                default:
                    let device = devices[index]
                    if let event = try device.carryOut(effect, &random) { events.append(event) }
                    if case .apply(_, let page, _) = effect, case .applied(.applied, _)? = events.last {
                        try oracle.checkApplied(device, upTo: page.upTo)
                    }
                }
            }
        }
    }

    private mutating func sender(_ index: Int, _ number: Int) -> Sender {
        numbers[index] = number
        return Sender(number: number, device: index, process: devices[index].process)
    }

    /// Lets every device exchange over a sound network until nothing is left to do.
    private mutating func comeToRest() throws {
        isCalm = true
        for _ in 0..<600 {
            now += 100
            server.now = now
            for index in devices.indices { try tell(index, .tick) }
            var delivered = 0
            while !network.isEmpty {
                delivered += 1
                guard delivered < 10_000 else { throw Failure("wedged: exchanges without an end") }
                try deliver(network.removeFirst())
            }
            if devices.allSatisfy({
                $0.disk.content.outbox.isEmpty && $0.disk.content.unsealed.isEmpty
                    && $0.disk.content.cursor == server.head()
            }) {
                return
            }
        }
        throw Failure("wedged: \(devices.map { "\($0.engine.phase)" })")
    }

    // MARK: Edits

    private mutating func edit(_ index: Int) throws {
        let disk = devices[index].disk
        let before = disk.content.rows
        var changed: [RowKey] = []
        for _ in 0..<(1 + random.below(3)) {
            let key = keys[random.below(keys.count)]
            guard !changed.contains(key) else { continue }
            var rows = disk.content.rows
            do {
                let keys = try change(key, &rows)
                disk.content.rows = rows
                for key in keys where !changed.contains(key) { changed.append(key) }
            } catch is StoreError {
                // The app is told that it cannot be done.
            }
        }
        let changes = changed.compactMap { Self.change($0, from: before[$0], to: disk.content.rows[$0]) }
        guard !changes.isEmpty else { return }
        disk.content.clock = max(now + devices[index].skew, disk.content.clock + 1)
        let transaction = LocalTransaction(
            id: random.uuid(), time: disk.content.clock, author: nil, undone: nil, changes: changes)
        disk.content.unsealed.append(transaction)
        note("device \(index) edits \(changed.map { "\($0.entity)\($0.id.uuid.15)" })")
        try tell(index, .committed)
    }

    /// Inserts, updates or deletes a row as an app does, with the delete rules.
    private mutating func change(_ key: RowKey, _ rows: inout SimulatedRows) throws -> [RowKey] {
        guard let row = rows[key] else {
            try rows.write([RowWrite(key, before: nil, after: newRow(key))])
            return [key]
        }
        if random.chance(20) { return try delete(key, &rows) }
        var edited = row
        let plain = SimulatedSchema.plain[key.entity, default: []]
        if let position = SimulatedSchema.unique[key.entity]?.last, random.chance(30) {
            edited[position] =
                SimulatedSchema.value(of: key, position, from: nil, number: value, &random)
                ?? (random.chance(20) ? .null : .int(Int64(random.below(4))))
        } else if let position = SimulatedSchema.reference[key.entity], random.chance(20) {
            edited[position] =
                SimulatedSchema.value(of: key, position, from: nil, number: value, &random)
                ?? .uuid(keys[random.below(2)].id)
        } else {
            let position = plain[random.below(plain.count)]
            value += 1
            if let new = SimulatedSchema.value(of: key, position, from: row[position], number: value, &random)
            {
                edited[position] = new
            } else if key.entity == "Feed", position == 3, case .int(let count) = row[3] {
                edited[3] = .int(count + 1 + Int64(random.below(3)))
            } else {
                edited[position] = .int(value)
            }
        }
        try rows.write([RowWrite(key, before: row, after: edited)])
        return [key]
    }

    private mutating func newRow(_ key: RowKey) -> [StoredValue] {
        SimulatedSchema.attributes(key).enumerated().map { position, attribute in
            if position == 0 { return .uuid(key.id) }
            if let new = SimulatedSchema.value(of: key, position, from: nil, number: value + 1, &random) {
                value += 1
                return new
            }
            if SimulatedSchema.reference[key.entity] == position {
                return attribute.isOptional && random.chance(30)
                    ? .null : .uuid(keys[random.below(2)].id)
            }
            if SimulatedSchema.unique[key.entity] == [position] { return .int(Int64(random.below(4))) }
            if key.entity == "Feed", position == 3 { return .int(0) }
            value += 1
            return .int(value)
        }
    }

    private func delete(_ key: RowKey, _ rows: inout SimulatedRows) throws -> [RowKey] {
        var writes = [RowWrite(key, before: rows[key], after: nil)]
        for child in rows.referrers(of: key.id) {
            guard var row = rows[child] else { continue }
            switch child.entity {
            case "Feed", "Link": writes.append(RowWrite(child, before: row, after: nil))
            case "Note":
                let before = row
                row[1] = .null
                writes.append(RowWrite(child, before: before, after: row))
            default: throw StoreError(.foreignKey, "denied", entity: child.entity)
            }
        }
        try rows.write(writes)
        return writes.map(\.key)
    }

    private static func change(
        _ key: RowKey, from before: [StoredValue]?, to after: [StoredValue]?
    ) -> LocalChange? {
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, _?): return LocalChange(key, .insert)
        case (let before?, nil): return LocalChange(key, .delete(before: before))
        case (let before?, let after?):
            let attributes = before.indices.filter { before[$0] != after[$0] }
            return attributes.isEmpty
                ? nil
                : LocalChange(key, .update(attributes: attributes, before: attributes.map { before[$0] }))
        }
    }

    private func note(_ line: @autoclosure () -> String) { if let record { record.lines.append(line()) } }

    private static func describe(_ mutation: Mutation) -> String {
        mutation.changes.map { change in
            let name = "\(change.key.entity)\(change.key.id.uuid.15)"
            return switch change {
            case .insert(_, let row): "+\(name) \(show(row))"
            case .update(_, let edits):
                "\(name) " + edits.map { "\($0.attribute)=\(show([.null, $0.after]))" }.joined(separator: " ")
            case .delete: "-\(name)"
            case .offer(_, let row, let sequence): "offer \(name)@\(sequence) \(row.map(show) ?? "nothing")"
            }
        }.joined(separator: ", ")
    }

    private static func show(_ row: [StoredValue]) -> String {
        row.dropFirst().map { value in
            switch value {
            case .uuid(let id): "#\(id.uuid.15)"
            case .int(let number): "\(number)"
            case .text(let text), .json(let text): text
            default: "nil"
            }
        }.joined(separator: ",")
    }

    private static func describe(_ event: MirrorEngine.Event) -> String {
        switch event {
        case .prepared(let prepared): "has \(prepared.mutations.count) mutations to send"
        case .answer: "takes the answer"
        default: "\(event)".split(separator: "(").first.map(String.init) ?? ""
        }
    }

    private static func describe(_ answer: ExchangeAnswer) -> String {
        switch answer {
        case .page(let page):
            "page \(page.from.sequence)–\(page.upTo.sequence) of \(page.head.sequence), verdicts "
                + "\(page.verdicts.map(\.kind.rawValue)), rows "
                + page.rows.map { row in
                    "\(row.key.entity)\(row.key.id.uuid.15)=\(row.values.map { show($0.map { $0 ?? .null }) } ?? "nothing")"
                }.joined(separator: " ")
        case .rows(let page): "\(page.rows.count) of all rows"
        case .restart: "restart"
        case .ahead(let common): "ahead of \(common.sequence)"
        case .beginAgain: "begin again"
        }
    }
}
