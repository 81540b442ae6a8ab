internal import SwitchyardCore

/// Text matches, by bytes. `LIKE` is not used, because it would treat a user's `%` and `_` as wildcards.
extension SQLWriter {
    mutating func match(_ text: Operand, _ match: TextMatch, _ other: Operand, in source: SQLSource) throws {
        if text.isNull || other.isNull { return write("FALSE") }
        if match == .hasPrefix, case .attribute(let name) = text, case .value(.text(let prefix)) = other {
            return prefixRange(source.column(try source.layout.column(name).name), prefix)
        }
        try matchText(
            match, in: source,
            text: { try $0.operand(text, as: .text, in: source) },
            other: { try $0.operand(other, as: .text, in: source) },
            needsCollation: !text.isAttribute && !other.isAttribute)
    }

    mutating func search(_ name: String, _ match: TextMatch, _ text: String, in source: SQLSource) throws {
        guard let column = try source.layout.column(name).searchName else {
            throw StoreError(
                .unsupported, "The attribute is not searchable.", entity: source.layout.entity.name,
                attribute: name)
        }
        let folded = source.column(column)
        if match == .hasPrefix { return prefixRange(folded, text) }
        try matchText(
            match, in: source, text: { $0.write(folded) }, other: { $0.value(.text(text), .text) },
            needsCollation: false)
    }

    private mutating func matchText(
        _ match: TextMatch, in source: SQLSource, text: (inout SQLWriter) throws -> Void,
        other: (inout SQLWriter) throws -> Void, needsCollation: Bool
    ) throws {
        func call(_ name: String, _ wrapper: String = "", test: String) throws {
            write(name + "(" + wrapper + (wrapper.isEmpty ? "" : "("))
            try text(&self)
            write((wrapper.isEmpty ? "" : ")") + ", " + wrapper + (wrapper.isEmpty ? "" : "("))
            try other(&self)
            write((wrapper.isEmpty ? "" : ")") + ")" + test)
        }
        switch match {
        case .equals:
            try text(&self)
            if needsCollation { collation(.text) }
            write(" = ")
            try other(&self)
        case .contains: try call(dialect.positionFunction, test: " > 0")
        case .hasPrefix: try call(dialect.positionFunction, test: " = 1")
        case .hasSuffix:
            switch dialect.suffixTest {
            case .function(let name): try call(name, test: "")
            case .reversed: try call(dialect.positionFunction, "reverse", test: " = 1")
            }
        }
    }

    /// Writes a prefix match as a range, which an index serves: from the prefix up to the first text after all texts
    /// that begin with it.
    private mutating func prefixRange(_ column: String, _ prefix: String) {
        guard !prefix.isEmpty else { return write("\(column) IS NOT NULL") }
        guard let end = Self.firstText(afterPrefix: prefix) else {
            write("\(column) >= ")
            return value(.text(prefix), .text)
        }
        write("(\(column) >= ")
        value(.text(prefix), .text)
        write(" AND \(column) < ")
        value(.text(end), .text)
        write(")")
    }

    /// The smallest text, by bytes, that follows every text with the prefix: the prefix with its last scalar
    /// incremented.
    ///
    /// UTF-8 sorts in the order of its scalars. Nil if no text follows.
    static func firstText(afterPrefix prefix: String) -> String? {
        var scalars = prefix.unicodeScalars
        while let last = scalars.popLast() {
            // Surrogates are not scalars: the next one after U+D7FF is U+E000.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let successor = Unicode.Scalar(next) {
                scalars.append(successor)
                return String(scalars)
            }
        }
        return nil
    }
}
