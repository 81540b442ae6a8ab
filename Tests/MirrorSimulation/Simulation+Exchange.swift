import Foundation
import SwitchyardCore
import SwitchyardMirror

/// Engines, the network between them and the server, and what is lost on it.
extension Simulation {
    /// Starts a process.
    mutating func open(_ index: Int) throws {
        let event = devices[index].opened()
        try oracle.checkOpened(devices[index])
        try tell(index, event)
    }

    /// Delivers, drops or doubles one packet, not always the oldest.
    mutating func passOn() throws {
        guard !network.isEmpty else { return }
        let position = random.below(network.count)
        let packet = network[position]
        let device = devices[packet.sender.device]
        let isAnswer =
            switch packet {
            case .answer, .refusal: true
            case .request, .rowsRequest: false
            }
        let isCut = device.link == .closed || device.link == .halfOpen && isAnswer
        if random.chance(12) || isCut {
            network.remove(at: position)
            note("a packet of \(device.index) #\(packet.sender.number) is lost")
            // On some networks that is noticed before the deadline.
            if random.chance(30), packet.sender.process == device.process {
                try tell(device.index, .failed(packet.sender.number))
            }
            return
        }
        if !random.chance(10) { network.remove(at: position) }
        try deliver(packet)
    }

    private mutating func deliver(_ packet: Packet) throws {
        now += 1
        server.clock = now
        let sender = packet.sender
        addToTrace {
            $0.add(sender.device)
            $0.add(sender.number)
        }
        switch packet {
        case .request, .rowsRequest:
            guard let isRevoked = try refusal(of: sender.requester) else { break }
            note("server <- \(sender.device) #\(sender.number) refused, revoked \(isRevoked)")
            return network.append(.refusal(isRevoked: isRevoked, sender))
        case .answer, .refusal:
            guard sender.process == devices[sender.device].process else { return }
        }
        switch packet {
        case .request(let request, let sender):
            note(
                "server <- \(sender.device) #\(sender.number) from \(request.cursor.sequence), \(request.mutations.count) mutations "
                    + request.mutations.map(Self.describe).joined(separator: "; "))
            addToTrace { for mutation in request.mutations { $0.add(mutation) } }
            let disk = devices[sender.device].disk
            for mutation in request.mutations { try oracle.requireFaithful(mutation, from: disk) }
            guard let answer = try server.answer(request, from: disk, by: sender.requester) else { return }
            if case .page(let page) = answer {
                for verdict in page.verdicts { try oracle.noteDecision(verdict, from: disk) }
            }
            network.append(.answer(answer, sender))
        case .rowsRequest(var request, let sender):
            if bug == .seenIsIgnored { request.seen = nil }
            note("server <- \(sender.device) #\(sender.number) all rows")
            network.append(.answer(try server.answer(request), sender))
        case .answer(let answer, let sender):
            note("\(sender.device) <- #\(sender.number) \(Self.describe(answer))")
            addToTrace { $0.add(answer) }
            let number = bug == .staleAnswer ? numbers[sender.device] ?? sender.number : sender.number
            try tell(sender.device, .answer(answer, to: number))
        case .refusal(let isRevoked, let sender):
            note("\(sender.device) <- #\(sender.number) refused, revoked \(isRevoked)")
            let ends = isRevoked || bug == .strangersPurged
            try tell(sender.device, ends ? .revoked : .failed(sender.number))
        }
    }

    /// Whether the server refuses to answer, and if so, whether because of a revocation.
    private func refusal(of requester: SimulatedServer.Requester) throws -> Bool? {
        switch server.standing(of: requester) {
        case .member, nil: return nil
        case .unknown: return false
        case .revoked:
            try oracle.noteRevoked(requester, at: now)
            return true
        }
    }

    /// Tells a device's engine of an event, and carries out what it does; the device can be killed before each effect.
    mutating func tell(_ index: Int, _ event: MirrorEngine.Event) throws {
        let device = devices[index]
        guard device.token != nil else { return }
        var events = [faulty(event, device)]
        while !events.isEmpty {
            guard let event = events.removeFirst() else { continue }
            let effects = device.engine.handle(event, now: now)
            note("   \(index) \(Self.describe(event))")
            addToTrace { $0.add(index * 100 + effects.count) }
            for effect in effects {
                if !isCalm, random.chance(1) {
                    note("device \(index) is killed before an effect")
                    device.kill()
                    return try open(index)
                }
                if !isCalm, effect.canFail, random.chance(1) {
                    note("an effect of device \(index) fails")
                    // A stage that stays is removed by a later exchange.
                    switch effect {
                    case .clearStage: break
                    case .endMembership: events.append(.membershipLeft)
                    default: events.append(.effectFailed)
                    }
                    continue
                }
                switch effect {
                case .send(let request, let number): network.append(.request(request, sender(index, number)))
                case .sendRows(let request, let number):
                    network.append(.rowsRequest(request, sender(index, number)))
                case .wake(let time):
                    let isLost =
                        if bug == .retryWithNextWrite, case .waiting = device.engine.phase { true } else {
                            false
                        }
                    device.wakesAt = isLost ? nil : time
                case .apply(_, let page, _) where bug == .cursorBeforeRows && !isCalm && random.chance(10):
                    device.setCursor(page.upTo)
                    device.kill()
                    return try open(index)
                case .endMembership where bug == .purgeInTwoSteps && !isCalm && random.chance(30):
                    device.disk.content.rows = SimulatedRows()
                    device.kill()
                    return try open(index)
                case .endMembership:
                    let before = device.disk.content
                    _ = try device.carryOut(effect, &random)
                    guard before.token == device.token || device.disk.content.token != before.token else {
                        continue
                    }
                    note("device \(index) is purged")
                    try oracle.requirePurged(device.disk, before: before)
                default:
                    let pending = device.disk.content.outbox.map(\.id)
                    if let event = try device.carryOut(effect, &random) { events.append(event) }
                    if case .apply(let stage, let page, _) = effect,
                        case .applied(.applied, _)?? = events.last
                    {
                        try oracle.checkApplied(device, upTo: page.upTo)
                        let verdicts = ((stage?.verdicts ?? []) + page.verdicts).filter {
                            pending.contains($0.id)
                        }
                        try oracle.requireQuarantine(verdicts, device.disk.content)
                    }
                }
            }
        }
    }

    /// An event as a planted bug lets it through; nil if it does not.
    private func faulty(_ event: MirrorEngine.Event, _ device: SimulatedDevice) -> MirrorEngine.Event? {
        switch (bug, event) {
        case (.writesUnheard, .committed): return nil
        case (.retryWithNextWrite, .committed):
            guard case .waiting = device.engine.phase else { return event }
            return .opened(cursor: device.disk.content.cursor)
        case (.failureForgets, .failed):
            device.remove(device.lastSent)
            return event
        default: return event
        }
    }

    private mutating func sender(_ index: Int, _ number: Int) -> Sender {
        numbers[index] = number
        let device = devices[index]
        return Sender(
            number: number, device: index, process: device.process,
            requester: SimulatedServer.Requester(
                identity: device.disk.content.identity, token: device.token))
    }

    /// Makes the network sound.
    mutating func reconnect() throws {
        isCalm = true
        if server.disk.household != nil {
            // What ends by the clock has ended.
            now += 400
            server.clock = now
        }
        for index in devices.indices {
            devices[index].link = .open
            // Somebody opens the app again after the file has joined, or was purged.
            if devices[index].token != devices[index].disk.content.token {
                devices[index].kill()
                try open(index)
            }
            // Following the server begins with news.
            try tell(index, .reachable)
        }
    }

    /// Lets every device exchange until nothing is left to do.
    ///
    /// The devices' own timers and the server's news must be enough for that.
    mutating func comeToRest() throws {
        var (delivered, head) = (0, server.head())
        while delivered < 4_000 {
            while !network.isEmpty {
                delivered += 1
                guard delivered < 4_000 else { break }
                try deliver(network.removeFirst())
            }
            if head != server.head() {
                head = server.head()
                for index in devices.indices { try tell(index, .reachable) }
                continue
            }
            // Devices that do not poll do nothing more in the end, whatever timers are left.
            let isAtRest = devices.allSatisfy { hasSettled($0, head) }
            if isAtRest, patience.poll != nil { return }
            // A stranger's device asks for ever.
            guard let next = devices.filter({ standing(of: $0) != .unknown }).compactMap(\.wakesAt).min()
            else {
                if isAtRest { return }
                break
            }
            delivered += 1
            now = max(now, next)
            server.clock = now
            for device in devices where device.wakesAt.map({ $0 <= now }) ?? false {
                device.wakesAt = nil
                try tell(device.index, .tick)
            }
        }
        throw Failure("wedged", "\(devices.map { "\($0.engine.phase)" })")
    }

    /// What the token in a device's file is worth; nil if nobody asks.
    func standing(of device: SimulatedDevice) -> SimulatedHousehold.Standing? {
        let content = device.disk.content
        return server.standing(
            of: SimulatedServer.Requester(identity: content.identity, token: content.token))
    }

    /// Whether nothing is left to be sent or applied.
    private func hasSettled(_ device: SimulatedDevice, _ head: HistoryPosition) -> Bool {
        let content = device.disk.content
        switch standing(of: device) {
        case .unknown: return true
        case .revoked: return false
        case .member, nil:
            return content.outbox.isEmpty && content.unsealed.isEmpty && content.cursor == head
        }
    }
}

extension MirrorEngine.Effect {
    /// Whether a store or a connection can refuse it.
    fileprivate var canFail: Bool { if case .wake = self { false } else { true } }
}
