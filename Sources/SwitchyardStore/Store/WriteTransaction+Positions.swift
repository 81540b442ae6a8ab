/// Rows in an order of their own, which an integer attribute keeps.
extension WriteTransaction {
    /// Numbers rows in a given order: sets an attribute to `first` in the first row, to the next number in the next.
    ///
    /// ```swift
    /// try tx.reorder(ids, by: \.position)
    /// ```
    ///
    /// The attribute may be part of a unique key, such as that of a list and a position. Only rows whose number differs are
    /// written.
    ///
    /// - Parameters:
    ///   - ids: The rows, in the order that they are to have.
    ///   - position: The attribute.
    ///   - first: The number of the first row.
    /// - Returns: The number of rows that got another number.
    /// - Throws: `notFound` if a row does not exist, `invalidArgument` if one is there twice, `unique` if another row has the
    ///   number; otherwise as `update(_:set:)`.
    @discardableResult
    public func reorder<Element: Model>(
        _ ids: some Sequence<Identifier<Element>>, by position: KeyPath<Element, Int>,
        from first: Int = 0
    ) throws -> Int {
        try perform {
            let entity = try entity(Element.self)
            let attribute = try Element.attribute(at: position).get()
            var places: [StoredValue: Int] = [:]
            for id in ids {
                guard places.updateValue(first + places.count, forKey: .uuid(id.uuid)) == nil else {
                    throw StoreError(
                        .invalidArgument, "A row can have only one place in an order.", entity: entity.name)
                }
            }
            guard let column = entity.column(attribute) else { return 0 }
            let condition = Condition.isIn(.attribute("id"), Array(places.keys))
            var (changes, found): ([RowReplacement], Int) = ([], 0)
            try selectKeyed(.rows(of: entity, where: condition)) { key, row in
                found += 1
                let place = StoredValue.int(Int64(places[key.value] ?? first))
                guard row[column] != place else { return }
                var changed = row
                changed[column] = place
                changes.append(RowReplacement(before: row, after: changed))
            }
            guard found == places.count else {
                throw StoreError(
                    .notFound, "\(places.count - found) of the rows to order do not exist.",
                    entity: entity.name)
            }
            try write(changes, of: entity, setting: [attribute], isCalculated: [true])
            return changes.count
        }
    }

    /// Inserts a row after the last one of a query, by an attribute that numbers them.
    ///
    /// ```swift
    /// try tx.append(Reminder(title: "Milk", list: list.id), to: list.reminders.query, by: \.position)
    /// ```
    ///
    /// - Parameters:
    ///   - element: The row. Its number is replaced.
    ///   - query: The rows that it comes after. A limit or an offset is refused; the order has no effect.
    ///   - position: The attribute: one more than the greatest number of the query's rows, 0 if there are none.
    /// - Returns: The row as it was stored.
    /// - Throws: As `insert(_:)`; `arithmetic` if there is no greater number.
    @discardableResult
    public func append<Element: Model>(
        _ element: Element, to query: Query<Element>, by position: WritableKeyPath<Element, Int>
    ) throws -> Element {
        let last: Int? = try perform {
            try requireUnlimited(query)
            let attribute = try Element.attribute(at: position).get()
            let found = try aggregate(try selection(query), by: [], figures: [.maximum(attribute)])
            return found.first?.first?.value(as: Int?.self) ?? nil
        }
        let (next, isTooGreat) = (last ?? -1).addingReportingOverflow(1)
        guard !isTooGreat else { throw StoreError.overflow }
        var element = element
        element[keyPath: position] = next
        return try insert(element)
    }

    /// Inserts a row after the last one of a to-many relationship, by an attribute that numbers them.
    ///
    /// - Throws: As for a query.
    @discardableResult
    public func append<Element: Model>(
        _ element: Element, to relationship: ToMany<Element>, by position: WritableKeyPath<Element, Int>
    ) throws -> Element {
        try append(element, to: relationship.query, by: position)
    }
}
