/// Rows that refer to rows of their own kind, over any number of steps.
extension ReadTransaction {
    /// Fetches the rows below a row: those that refer to it, those that refer to them, and so on.
    ///
    /// ```swift
    /// for (employee, level) in try tx.descendants(of: boss.id, by: \.manager) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - id: The row at the top, which is not among them.
    ///   - parent: The reference to the row above.
    ///   - depth: The greatest level; rows below it are left out.
    /// - Returns: Each row once, with its level from 1, level by level, and by id within one. A row of a circle comes at its
    ///   first level, unless it is the one at the top.
    /// - Throws: As `fetch(_:)`; `invalidArgument` for a depth below 0.
    /// - Complexity: One statement for each level.
    public func descendants<Element: Model>(
        of id: Identifier<Element>, by parent: KeyPath<Element, Identifier<Element>?>, depth: Int = 100
    ) throws -> [(row: Element, level: Int)] {
        try perform {
            let attribute = try Element.attribute(at: parent).get()
            guard depth >= 0 else { throw StoreError.negativeDepth(Element.entityName) }
            let tops = scopes.count > 1 ? scopes.map { StoredValue.uuid($0.uuid) } : [.null]
            var keys = tops.map { RelatedKey(value: .uuid(id.uuid), scope: $0) }
            var known = Set(keys)
            var found: [(row: Element, level: Int)] = []
            var level = 1
            while level <= depth, !keys.isEmpty {
                let children: [RelatedKey: [Element]] = try related(Element.all, by: attribute, keys)
                let next = children.flatMap { key, rows in
                    rows.map { (RelatedKey(value: .uuid($0.id.uuid), scope: key.scope), $0) }
                }.filter { known.insert($0.0).inserted }.sorted { $0.0.precedes($1.0) }
                found += next.map { ($0.1, level) }
                keys = next.map(\.0)
                level += 1
            }
            return found
        }
    }

    /// Fetches the rows above a row: the one that it refers to, the one that this refers to, and so on.
    ///
    /// - Parameters:
    ///   - element: The row, which is not among them.
    ///   - parent: The reference to the row above.
    ///   - depth: How many rows at most.
    /// - Returns: The rows, the nearest first. A circle ends before its first row comes again.
    /// - Throws: As `fetch(_:)`; `invalidArgument` for a depth below 0; in a read of several scopes, `unsupported` unless one
    ///   alone has the row.
    /// - Complexity: One statement for each row.
    public func ancestors<Element: Model>(
        of element: Element, by parent: KeyPath<Element, Identifier<Element>?>, depth: Int = 100
    ) throws -> [Element] {
        guard depth >= 0 else { return try perform { throw StoreError.negativeDepth(Element.entityName) } }
        let scope = try scope(of: element)
        var known: Set = [element.id]
        var found: [Element] = []
        var next = element[keyPath: parent]
        while let id = next, found.count < depth, known.insert(id).inserted,
            let row = try row(of: id, in: scope)
        {
            found.append(row)
            next = row[keyPath: parent]
        }
        return found
    }

    /// The scope of a row in a read of several; null in any other.
    private func scope<Element: Model>(of element: Element) throws -> StoredValue {
        guard scopes.count > 1 else { return .null }
        return try perform {
            let keys = scopes.map { RelatedKey(value: .uuid(element.id.uuid), scope: .uuid($0.uuid)) }
            let found = try related(Element.all, by: "id", keys)
            guard let key = found.keys.first, found.count == 1 else {
                throw StoreError.scopeUnclear(Element.entityName)
            }
            return key.scope
        }
    }

    private func row<Element: Model>(of id: Identifier<Element>, in scope: StoredValue) throws -> Element? {
        guard !scope.isNull else { return try find(id) }
        let key = RelatedKey(value: .uuid(id.uuid), scope: scope)
        return try perform { try related(Element.all, by: "id", [key])[key]?.first }
    }
}

extension RelatedKey {
    /// Whether the id comes first, or the scope of the same id.
    fileprivate func precedes(_ other: RelatedKey) -> Bool {
        value == other.value
            ? StoredValue.precedes(scope, other.scope) : StoredValue.precedes(value, other.value)
    }
}

extension StoreError {
    fileprivate static func negativeDepth(_ entity: String) -> StoreError {
        StoreError(.invalidArgument, "The depth of a tree is at least 0.", entity: entity)
    }

    fileprivate static func scopeUnclear(_ entity: String) -> StoreError {
        StoreError(
            .unsupported,
            "In a read of several scopes, one alone must have the row whose parents are asked for. Ask each scope by itself.",
            entity: entity)
    }
}
