extension WriteTransaction {
    /// Inserts a row.
    ///
    /// - Returns: The row as it was stored and as a fetch returns it: times are rounded to microseconds.
    /// - Throws: `unique`, `check`, `valueNotRepresentable`; nothing is inserted then. A reference to a
    ///   missing row is refused with `foreignKey` at commit.
    @discardableResult
    public func insert<Element: Model>(_ element: Element) throws -> Element {
        try perform {
            var stored: Element?
            var isPending = true
            let entity = try entity(Element.self)
            let check = check(of: entity)
            _ = try driver.insert(into: entity, onConflict: .fail) { row in
                guard isPending else { return false }
                isPending = false
                row.reset()
                try element.encode(into: &row)
                try check.complete(&row)
                stored = try row.read(Element.self)
                return true
            }
            return stored ?? element
        }
    }

    /// Inserts any number of rows, keeping no more than a batch of them in memory.
    ///
    /// - Returns: The number of rows inserted.
    /// - Throws: As `insert(_:)` if a row is refused; none is inserted then.
    @discardableResult
    public func insert<Elements: Sequence>(contentsOf elements: Elements) throws -> Int
    where Elements.Element: Model {
        try perform {
            var iterator = elements.makeIterator()
            let entity = try entity(Elements.Element.self)
            let check = check(of: entity)
            return try driver.insert(into: entity, onConflict: .fail) { row in
                guard let element = iterator.next() else { return false }
                row.reset()
                try element.encode(into: &row)
                try check.complete(&row)
                return true
            }
        }
    }
}

extension RowWriter {
    /// Reads back the row that was written, as a store would return it.
    package mutating func read<Element: Model>(_: Element.Type) throws -> Element {
        try withReader { try Element(from: &$0) }
    }
}
