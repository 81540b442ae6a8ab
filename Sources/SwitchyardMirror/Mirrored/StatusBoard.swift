internal import Observation
internal import SwitchyardCore
internal import Synchronization

/// Shows a mirror's status to everybody who looks at it.
final class StatusBoard: Observable, Sendable {
    private struct State {
        var status = MirrorStatus()
        var streams: [AsyncStream<MirrorStatus>.Continuation] = []
        var isEnded = false
    }

    private let state = Mutex(State())
    private let registrar = ObservationRegistrar()

    var status: MirrorStatus {
        get {
            registrar.access(self, keyPath: \.status)
            return state.withLock(\.status)
        }
        set {
            registrar.withMutation(of: self, keyPath: \.status) {
                state.withLock { state in
                    state.status = newValue
                    state.streams.removeAll { stream in
                        if case .terminated = stream.yield(newValue) { true } else { false }
                    }
                }
            }
        }
    }

    func stream() -> AsyncStream<MirrorStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MirrorStatus.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            continuation.yield(state.status)
            if state.isEnded { continuation.finish() } else { state.streams.append(continuation) }
        }
        return stream
    }

    func end() {
        let streams = state.withLock { state in
            state.isEnded = true
            defer { state.streams = [] }
            return state.streams
        }
        for stream in streams { stream.finish() }
    }
}
