import SwitchyardConformance

/// What happens to one connection on its way through a proxy.
enum WireFault: Sendable {
    /// Both sides are closed after so many bytes of both directions together.
    case cut(after: Int)
    /// The server hears the end of what the client sends, and can still answer.
    case halfClose(after: Int)
    /// Nothing moves for some milliseconds; then all goes on until as many bytes have passed again, and is cut.
    case stall(after: Int, milliseconds: Int)
    /// Nothing moves any more, and nobody is told.
    case silence(after: Int)
    /// The first COMMIT reaches the server when the client has given up, after so many milliseconds.
    case lateCommit(milliseconds: Int)
    /// The first COMMIT reaches the server, whose answer does not come back.
    case swallowedCommit

    /// The fault's name in a report.
    var name: String {
        switch self {
        case .cut: "cuts"
        case .halfClose: "half-closes"
        case .stall: "stalls"
        case .silence: "silences"
        case .lateCommit: "late commits"
        case .swallowedCommit: "swallowed commits"
        }
    }

    /// Whether it waits for a COMMIT.
    var isAboutCommit: Bool {
        switch self {
        case .swallowedCommit, .lateCommit: true
        default: false
        }
    }

    /// The bytes that pass before it happens.
    var bytes: Int {
        switch self {
        case .swallowedCommit, .lateCommit: .max
        case .cut(let bytes), .halfClose(let bytes), .stall(let bytes, _), .silence(let bytes): bytes
        }
    }

    /// Draws one that ends the connection, at once or later: pools have few, and one that lasted would meet no
    /// further fault.
    static func breaking(using generator: inout SeededGenerator) -> WireFault {
        let bytes = bytes(using: &generator)
        return switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: .cut(after: bytes)
        case 5: .halfClose(after: bytes)
        case 6: .stall(after: bytes, milliseconds: Int.random(in: 1...200, using: &generator))
        default: .swallowedCommit
        }
    }

    /// Draws silence, from the first byte on or later, or at the COMMIT.
    static func silent(using generator: inout SeededGenerator) -> WireFault {
        if Int.random(in: 0..<3, using: &generator) == 0 {
            return .lateCommit(milliseconds: Int.random(in: 3_000...12_000, using: &generator))
        }
        return Int.random(in: 0..<4, using: &generator) == 0
            ? .cut(after: bytes(using: &generator)) : .silence(after: bytes(using: &generator))
    }

    /// Few bytes end the connection while it is made, many while it is used.
    private static func bytes(using generator: inout SeededGenerator) -> Int {
        Int.random(in: 0..<3, using: &generator) == 0
            ? Int.random(in: 0...1_200, using: &generator) : Int.random(in: 1_000...40_000, using: &generator)
    }
}
