internal import SwitchyardCore

/// `AND` or `OR`.
enum SQLConnective: String {
    case and = " AND "
    case or = " OR "

    /// What a list without terms is.
    var ofNothing: String { self == .and ? "TRUE" : "FALSE" }
}

/// Lists of conditions.
extension SQLWriter {
    /// The most terms in one chain.
    ///
    /// SQLite refuses expressions more than 1,000 deep, and a chain is as deep as it is long; groups of
    /// groups keep 10,000 terms below 200.
    private static var chainLength: Int { 64 }
    /// How many terms are written a second time, for an index to serve.
    private static var repeatedTerms: Int { 16 }

    mutating func connected(
        _ parts: [Condition], by connective: SQLConnective, negated: Bool, in source: SQLSource
    ) throws {
        if parts.isEmpty { return write(connective.ofNothing) }
        if parts.count == 1 { return try condition(parts[0], negated: negated, in: source) }
        if let first = parts.firstIndex(where: \.canFail) {
            try guarded(parts, from: first, by: connective, negated: negated, in: source)
        } else {
            try chain(parts[...], by: connective, negated: negated, in: source)
        }
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
        let needsParentheses = !isAlone && part.isChain
        if needsParentheses { write("(") }
        if writesBits, !isAlone, part.isPlainList {
            try bits(part, negated: negated, in: source)
        } else {
            try condition(part, negated: negated, in: source)
        }
        if needsParentheses { write(")") }
    }

    /// Writes terms of which one can fail.
    ///
    /// A database may evaluate terms in any order, but `count != 0 && sum / count > 1` must not divide by
    /// zero, and only `CASE` promises an order. Comparisons before the first that can fail are repeated
    /// outside, where an index can serve them; not all of very many, because each takes its parameters once
    /// more.
    private mutating func guarded(
        _ parts: [Condition], from first: Int, by connective: SQLConnective, negated: Bool,
        in source: SQLSource
    ) throws {
        if connective == .and, caseDepth == 0 {
            for comparison in parts[..<first].lazy.filter(\.isLeaf).prefix(Self.repeatedTerms) {
                try condition(comparison, negated: negated, in: source)
                write(connective.rawValue)
            }
        }
        // The first term that decides the whole ends it: for AND one that is not true, for OR one that is.
        let decides = connective == .and
        caseDepth += 1
        defer { caseDepth -= 1 }
        write("CASE")
        var rest = parts[...]
        while let next = rest.first {
            let run = next.canFail ? rest.prefix(1) : rest.prefix { !$0.canFail }
            rest = rest.dropFirst(run.count)
            write(" WHEN ")
            try chain(run, by: .or, negated: negated != decides, in: source)
            write(decides ? " THEN FALSE" : " THEN TRUE")
        }
        write(decides ? " ELSE TRUE END" : " ELSE FALSE END")
    }
}

extension Condition {
    /// Whether it prints as terms with `AND` or `OR` between them.
    fileprivate var isChain: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.count > 1 || parts.first?.isChain == true
        case .not(let inner): inner.isChain
        default: false
        }
    }

    /// Whether it holds no other condition but one that it negates.
    fileprivate var isLeaf: Bool {
        switch self {
        case .not(let inner): inner.isLeaf
        case .compare, .isIn, .match, .search: true
        default: false
        }
    }
}
