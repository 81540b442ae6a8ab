import PostgresTestServer
import SwitchyardConformance

/// What a scenario draws for each connection through its proxy.
extension FaultProxy.Fault {
    /// The fault's name in a report.
    var name: String {
        switch (kind, moment) {
        case (.cut, .afterRequest): "swallowed commits"
        case (.cut, _): "cuts"
        case (.silence, _): "silences"
        case (.halfClose, _): "half-closes"
        case (.stall, .beforeRequest): "late commits"
        case (.stall, _): "stalls"
        }
    }

    /// The whole text of a request, which `READ COMMITTED` in another one is not.
    private static let commit = "COMMIT\0"

    /// Draws one that ends the connection, at once or later: pools have few, and one that lasted would meet no
    /// further fault.
    static func breaking(using generator: inout SeededGenerator) -> Self {
        let bytes = bytes(using: &generator)
        return switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: Self(.cut, bytes)
        case 5: Self(.halfClose, bytes)
        case 6: Self(.stall(.milliseconds(Int.random(in: 1...200, using: &generator))), bytes)
        default: Self(.cut, .afterRequest(commit))
        }
    }

    /// Draws a cut after some bytes, from a few thousand to many millions: enough to pass all rows of a
    /// store.
    static func late(using generator: inout SeededGenerator) -> Self {
        if Int.random(in: 0..<8, using: &generator) == 0 { return Self(.cut, .afterRequest(commit)) }
        let magnitude = 1 << Int.random(in: 11...26, using: &generator)
        return Self(.cut, .afterBytes(Int.random(in: magnitude...(2 * magnitude), using: &generator)))
    }

    /// Draws silence, from the first byte on or later, or a COMMIT that reaches the server when the client has given
    /// up.
    static func silent(using generator: inout SeededGenerator) -> Self {
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let delay = Duration.milliseconds(Int.random(in: 3_000...12_000, using: &generator))
            return Self(.stall(delay), .beforeRequest(commit))
        }
        let bytes = bytes(using: &generator)
        return Self(Int.random(in: 0..<4, using: &generator) == 0 ? .cut : .silence, bytes)
    }

    /// Few bytes end the connection while it is made, many while it is used.
    private static func bytes(using generator: inout SeededGenerator) -> FaultProxy.Fault.Moment {
        let whileItIsMade = Int.random(in: 0..<3, using: &generator) == 0
        return .afterBytes(Int.random(in: whileItIsMade ? 0...1_200 : 1_000...40_000, using: &generator))
    }
}
