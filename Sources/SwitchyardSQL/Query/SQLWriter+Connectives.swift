internal import SwitchyardCore

/// `AND` or `OR`.
enum SQLConnective: String {
    case and = " AND "
    case or = " OR "

    /// The value of an empty list.
    var ofNothing: String { self == .and ? "TRUE" : "FALSE" }
}

/// Lists of conditions.
extension SQLWriter {
    /// The most terms in one chain.
    ///
    /// SQLite refuses expressions more than 1,000 deep, and a chain is as deep as it is long; nested groups keep 10,000
    /// terms below a depth of 200.
    private static var chainLength: Int { 64 }

    mutating func connected(
        _ parts: [Condition], by connective: SQLConnective, negated: Bool, in source: SQLSource
    ) throws {
        if parts.isEmpty { return write(connective.ofNothing) }
        if parts.count == 1 { return try condition(parts[0], negated: negated, in: source) }
        try chain(parts[...], by: connective, negated: negated, in: source)
    }

    mutating func chain(
        _ parts: ArraySlice<Condition>, by connective: SQLConnective, negated: Bool, in source: SQLSource
    ) throws {
        guard parts.count > Self.chainLength else {
            return try list(parts, separator: connective.rawValue) { writer, part in
                try writer.operand(of: connective, part, negated: negated, in: source)
            }
        }
        let size = (parts.count + Self.chainLength - 1) / Self.chainLength
        let starts = stride(from: parts.startIndex, to: parts.endIndex, by: size)
        try list(Array(starts), separator: connective.rawValue) { writer, start in
            writer.write("(")
            let end = min(start + size, parts.endIndex)
            try writer.chain(parts[start..<end], by: connective, negated: negated, in: source)
            writer.write(")")
        }
    }

    /// Writes one term of a chain, in parentheses if it is a chain itself.
    mutating func operand(
        of connective: SQLConnective, _ part: Condition, negated: Bool, in source: SQLSource,
        isAlone: Bool = false
    ) throws {
        guard !isAlone, part.isChain else { return try condition(part, negated: negated, in: source) }
        write("(")
        if writesBits {
            try bits(part, negated: negated, in: source)
        } else {
            try condition(part, negated: negated, in: source)
        }
        write(")")
    }
}

extension Condition {
    /// Whether it is written as terms with `AND` or `OR` between them.
    var isChain: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.count > 1 || parts.first?.isChain == true
        case .not(let inner): inner.isChain
        default: false
        }
    }
}
