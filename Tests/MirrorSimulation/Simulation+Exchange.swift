import Foundation
import SwitchyardCore
import SwitchyardMirror

/// Engines, the network between them and the server, and what is lost on it.
extension Simulation {
    /// Starts a process.
    mutating func open(_ index: Int) throws {
        try tell(index, devices[index].opened())
    }

    /// Delivers, drops or doubles one packet, not always the oldest.
    mutating func passOn() throws {
        guard !network.isEmpty else { return }
        let position = random.below(network.count)
        let packet = network[position]
        let device = devices[packet.sender.device]
        let isAnswer = if case .answer = packet { true } else { false }
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
        case .request(let request, let sender):
            note(
                "server <- \(sender.device) #\(sender.number) from \(request.cursor.sequence), \(request.mutations.count) mutations "
                    + request.mutations.map(Self.describe).joined(separator: "; "))
            addToTrace { for mutation in request.mutations { $0.add(mutation) } }
            let disk = devices[sender.device].disk
            for mutation in request.mutations { try oracle.requireFaithful(mutation, from: disk) }
            guard let answer = try server.answer(request, from: disk) else { return }
            if case .page(let page) = answer {
                for verdict in page.verdicts { try oracle.noteDecision(verdict, from: disk) }
            }
            network.append(.answer(answer, sender))
        case .rowsRequest(var request, let sender):
            if bug == .seenIsIgnored { request.seen = nil }
            note("server <- \(sender.device) #\(sender.number) all rows")
            network.append(.answer(try server.answer(request), sender))
        case .answer(let answer, let sender):
            guard sender.process == devices[sender.device].process else { return }
            note("\(sender.device) <- #\(sender.number) \(Self.describe(answer))")
            addToTrace { $0.add(answer) }
            let number = bug == .staleAnswer ? numbers[sender.device] ?? sender.number : sender.number
            try tell(sender.device, .answer(answer, to: number))
        }
    }

    /// Tells a device's engine of an event, and carries out what it does; the device can be killed before each effect.
    mutating func tell(_ index: Int, _ event: MirrorEngine.Event) throws {
        let device = devices[index]
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
                    if effect != .clearStage { events.append(.effectFailed) }
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
        return Sender(number: number, device: index, process: devices[index].process)
    }

    /// Makes the network sound.
    mutating func reconnect() throws {
        isCalm = true
        for index in devices.indices {
            devices[index].link = .open
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
            let isAtRest = devices.allSatisfy { $0.isAtRest(head) }
            if isAtRest, patience.poll != nil { return }
            guard let next = devices.compactMap(\.wakesAt).min() else {
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
}

extension MirrorEngine.Effect {
    /// Whether a store or a connection can refuse it.
    fileprivate var canFail: Bool { if case .wake = self { false } else { true } }
}

extension SimulatedDevice {
    /// Whether nothing is left to be sent or applied.
    fileprivate func isAtRest(_ head: HistoryPosition) -> Bool {
        disk.content.outbox.isEmpty && disk.content.unsealed.isEmpty && disk.content.cursor == head
    }
}
