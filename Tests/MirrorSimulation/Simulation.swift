import Foundation
import SwitchyardCore
import SwitchyardMirror

/// A household's devices and its server, in one thread and in virtual time, with everything that can go wrong.
///
/// Everything follows from the seed, so that a failure can be repeated. Each step draws its own random numbers, from the
/// seed and its number: a step can be left out without changing what the others draw.
public struct Simulation {
    /// What the mirror promised and did not keep.
    public struct Failure: Error, CustomStringConvertible {
        /// The promise that was broken.
        public let promise: String
        /// The row or the devices that show it.
        public let detail: String
        /// Creates a failure.
        public init(_ promise: String, _ detail: String = "") {
            (self.promise, self.detail) = (promise, detail)
        }
        /// The failure that an error means: another one than this has no place in a run.
        public init(_ error: any Error) { self = error as? Failure ?? Failure("\(error)") }

        /// The promise and what shows that it was broken.
        public var description: String { detail.isEmpty ? promise : "\(promise): \(detail)" }
    }

    enum Packet {
        case request(ExchangeRequest, Sender)
        case rowsRequest(RowsRequest, Sender)
        case answer(ExchangeAnswer, Sender)
        /// The server gives no answer to somebody who is no member, and says why.
        case refusal(isRevoked: Bool, Sender)

        var sender: Sender {
            switch self {
            case .request(_, let sender), .rowsRequest(_, let sender), .answer(_, let sender),
                .refusal(_, let sender):
                sender
            }
        }
    }

    /// A request's number, its device, and which of the device's processes sent it: no other gets the answer.
    struct Sender {
        let number: Int
        let device: Int
        let process: Int
        let requester: SimulatedServer.Requester
    }

    private let seed: UInt64
    private let world: SimulatedWorld
    let bug: PlantedBug?
    let keys: [RowKey]
    let server: SimulatedServer
    let oracle = Oracle()
    let patience: MirrorEngine.Patience
    var random: SeededGenerator
    var devices: [SimulatedDevice] = []
    var network: [Packet] = []
    var now: Int64 = 1_000
    /// The last value that was written.
    var value: Int64 = 0
    /// The number of the last token that was given.
    var tokens = 1_000
    /// The number of each device's newest request.
    var numbers: [Int: Int] = [:]
    /// Whether nothing goes wrong any more.
    var isCalm = false
    private var step = 0
    private var diskBackups: [(SimulatedDisk.Content, SimulatedDisk)] = []
    private var serverBackup: SimulatedServer.Disk?
    private var diskRestores = 0
    private var serverRestores = 0
    private let record: Record?
    private(set) var traceDigest = TraceDigest()

    private final class Record { var lines: [String] = [] }

    /// What has happened, one line for each event, if it is asked for.
    public var trace: [String] { record?.lines ?? [] }
    /// A number that depends on everything that has happened.
    public var digest: UInt64 { traceDigest.value }
    /// The number of the step that came last.
    public var lastStep: Int { step }

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
        (self.seed, self.world, self.bug) = (seed, world, bug)
        keys = SimulatedSchema.keys(of: world)
        record = isTraced ? Record() : nil
        random = SeededGenerator(seed: seed, stream: .max)
        var patience = MirrorEngine.Patience()
        (patience.answer, patience.retry, patience.longestRetry) = (300, 50, 1_000)
        // Devices that do not poll hear of news, and of their own writes, or of nothing.
        patience.poll = random.chance(50) ? 200 : nil
        self.patience = patience
        server = SimulatedServer(bug: bug, transactionsPerPage: 1 + random.below(4), oracle: oracle)
        for _ in 0..<(2 + random.below(3)) { addDevice(on: SimulatedDisk(identity: devices.count)) }
        // A widget or a second process on the first device's file.
        if random.chance(world == .household ? 60 : 30) { addDevice(on: devices[0].disk) }
        if world == .household { found() }
    }

    private mutating func addDevice(on disk: SimulatedDisk) {
        let skew = random.chance(30) ? Int64(random.below(4_000)) - 2_000 : Int64(random.below(10))
        devices.append(
            SimulatedDevice(
                disk: disk, index: devices.count, skew: skew, resolution: random.chance(30) ? 50 : 1,
                patience: patience, bug: bug))
    }

    /// Runs steps, lets everything come to rest, and checks what the mirror promises.
    ///
    /// - Parameter steps: The numbers of the steps, ascending.
    /// - Throws: A `Failure`.
    public mutating func run(_ steps: some Sequence<Int>) throws {
        for index in devices.indices { try open(index) }
        for step in steps {
            self.step = step
            random = SeededGenerator(seed: seed, stream: UInt64(step))
            now = max(now, 1_000 + Int64(step) * 10 + Int64(random.below(10)))
            value = Int64(step + 1) * 32
            server.clock = now
            try takeStep()
        }
        random = SeededGenerator(seed: seed, stream: .max - 1)
        value = 1_000_000
        try reconnect()
        try comeToRest()
        try check()
        // Whatever has gone wrong before, what is written now arrives.
        try edit(random.below(devices.count))
        try comeToRest()
        try check()
        traceDigest.add(server.disk.rows)
        withUnsafeBytes(of: server.head().digest) { bytes in for byte in bytes { traceDigest.add(Int(byte)) }
        }
    }

    private func check() throws {
        try oracle.check(server, devices, diskRestores: diskRestores)
    }

    // MARK: Steps

    private mutating func takeStep() throws {
        let index = random.below(devices.count)
        if world == .household, random.chance(4) { return try share(index) }
        switch random.below(100) {
        case 0..<22: try edit(index)
        case 22..<38: try tell(index, .reachable)
        case 38..<52: try tell(index, .tick)
        case 52..<84: try passOn()
        case 84..<87:
            note("device \(index) is killed")
            devices[index].kill()
            try open(index)
        case 87..<89: diskBackups.append((devices[index].disk.content, devices[index].disk))
        case 89: try restoreDisk()
        case 90: try cloneDevice(index)
        case 91: if serverBackup == nil || random.chance(50) { serverBackup = server.disk }
        case 92: if serverRestores == 0 { try loseCommits() }
        case 93:
            // Verdicts and history of long ago are forgotten.
            guard random.chance(25) else { return }
            server.disk.pruned = max(server.disk.pruned, server.disk.history.count - random.below(20))
            note("the server forgets the first \(server.disk.pruned) transactions")
        case 94..<97:
            let links: [SimulatedDevice.Link] = [.open, .open, .halfOpen, .closed]
            devices[index].link = links[random.below(links.count)]
            note("device \(index)'s link is \(devices[index].link)")
        default: setClock(index)
        }
    }

    private func setClock(_ index: Int) {
        var random = random
        let decade: Int64 = 315_360_000_000_000
        devices[index].skew =
            switch random.below(8) {
            case 0..<4: 0
            case 4: decade
            case 5: -decade
            default: Int64(random.below(100_000)) - 50_000
            }
    }

    private mutating func restoreDisk() throws {
        guard diskRestores < 2, let (content, disk) = diskBackups.randomElement(using: &random) else {
            return
        }
        note("the disk of \(devices.filter { $0.disk === disk }.map(\.index)) is restored")
        diskRestores += 1
        disk.content = content
        oracle.noteContents(of: disk)
        for other in devices where other.disk === disk {
            other.kill()
            try open(other.index)
        }
    }

    private mutating func cloneDevice(_ index: Int) throws {
        guard devices.count < 7, diskRestores < 2 else { return }
        note("device \(index) is cloned as \(devices.count)")
        diskRestores += 1
        let disk = SimulatedDisk(copying: devices[index].disk.content)
        addDevice(on: disk)
        oracle.noteContents(of: disk)
        try open(devices.count - 1)
    }

    /// Restores the server from a backup, or from a standby that lacks the last commits, or from nothing.
    private mutating func loseCommits() throws {
        var backup: SimulatedServer.Disk
        switch random.below(8) {
        case 0..<4:
            guard let serverBackup else { return }
            backup = serverBackup
        case 4..<7: backup = server.standby(behind: random.below(4))
        default:
            backup = SimulatedServer.Disk()
            // Nobody is a member of a household that is gone.
            if world == .household { backup.household = SimulatedHousehold() }
        }
        note("the server is restored from \(server.disk.history.count) to \(backup.history.count)")
        serverRestores += 1
        oracle.noteRestore(of: server, to: backup, devices, diskRestores: diskRestores)
        server.disk = backup
    }

    // MARK: The trace

    /// Notes a line of the trace.
    func note(_ line: @autoclosure () -> String) {
        if let record { record.lines.append("\(isCalm ? "rest" : "\(step)"): \(line())") }
    }

    mutating func addToTrace(_ add: (inout TraceDigest) -> Void) { add(&traceDigest) }
}
