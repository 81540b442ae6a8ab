extension MigrationStep {
    /// Each value of an attribute becomes another one, which can have another type, and another name.
    ///
    /// ```swift
    /// .convert(\V7.Item.quantity, to: \V8.Item.grams) { Double($0) ?? 0 }
    /// ```
    ///
    /// An attribute is split by one step for each part, and is kept besides if the newer version still has it:
    ///
    /// ```swift
    /// .convert(\V7.Person.name, to: \V8.Person.first) { String($0.prefix { $0 != " " }) },
    /// .convert(\V7.Person.name, to: \V8.Person.last) { $0.split(separator: " ").last.map(String.init) }
    /// ```
    ///
    /// - Parameters:
    ///   - old: The attribute in the older version.
    ///   - new: The attribute in the newer version.
    ///   - convert: Returns the new value of a row. What it throws fails the stage.
    /// - Returns: The step.
    public static func convert<Old: Model, New: Model, Value, Converted>(
        _ old: KeyPath<Old, Value>, to new: KeyPath<New, Converted>,
        _ convert: @escaping @Sendable (Value) throws -> Converted
    ) -> MigrationStep {
        MigrationStep(
            kind: Result { () throws(StoreError) in
                let name = try PartName(old)
                return .convert(name, to: try PartName(new)) { stored in
                    guard let value = stored.value(as: Value.self) else { throw StoreError.unreadable(name) }
                    return try StoredValue.of(convert(value)).get()
                }
            })
    }

    /// Each row of a model becomes one of the newer version, or is dropped.
    ///
    /// ```swift
    /// .convert(V10.Mood.self, to: V11.Mood.self) { old in
    ///     V11.Mood(id: .init(old.id.uuid), value: old.valence * 10)
    /// }
    /// ```
    ///
    /// The rows are read and written a few hundred at a time. If others refer to them, they must keep their
    /// ids.
    ///
    /// - Parameters:
    ///   - old: The model in the older version.
    ///   - new: The model in the newer version, under the same name or another.
    ///   - convert: Returns the new row; nil to drop the row. An error fails the stage.
    /// - Returns: The step.
    public static func convert<Old: Model, New: Model>(
        _ old: Old.Type, to new: New.Type, _ convert: @escaping @Sendable (Old) throws -> New?
    ) -> MigrationStep {
        MigrationStep(
            kind: .success(
                .convertRows(Old.entityName, to: New.entityName) { old, new in
                    var cursor: PageCursor?
                    repeat {
                        let page = try old.page(Old.all, size: 500, after: cursor)
                        try new.insert(contentsOf: try page.items.compactMap(convert))
                        cursor = page.next
                    } while cursor != nil
                }))
    }
}

/// Returns the new value of an attribute, given the old one.
package typealias ValueConversion = @Sendable (StoredValue) throws -> StoredValue

extension StoreError {
    fileprivate static func unreadable(_ part: PartName) -> StoreError {
        StoreError(
            .corrupted,
            "A row has a value that the type of \(part) does not allow. Check the store; nothing was changed.",
            entity: part.entity, attribute: part.attribute)
    }
}

extension PlannedStage {
    /// Writes the rows of entities with a converted attribute, through drivers of both versions.
    ///
    /// - Throws: What a conversion throws; as `insert`.
    func convertRows(from old: any TransactionDriver, to new: any TransactionDriver, _ drafts: Schema) throws
    {
        let converted = Set(steps.conversions.keys.map(\.entity))
        for case .replace(let before, let after) in tableChanges where converted.contains(after.name) {
            guard let draft = drafts.entity(after.name) else { continue }
            let sources = sources(of: after, from: before)
            let parts = draft.attributes.map { PartName(entity: after.name, attribute: $0.name) }
            let columns = zip(parts, sources).map { part, source in
                (steps.conversionSources[part]?.attribute ?? source.attribute).flatMap(before.column)
            }
            let conversions = parts.map { steps.conversions[$0] }
            let check = RowCheck(draft)
            try old.forEachPage(of: before) { rows in
                var iterator = rows.makeIterator()
                _ = try new.insert(into: draft, onConflict: .fail) { row in
                    guard let values = iterator.next() else { return false }
                    row.reset()
                    for (place, attribute) in draft.attributes.enumerated() {
                        let value = columns[place].map { values[$0] }
                        try row.write(
                            conversions[place]?(value ?? .null)
                                ?? sources[place].value(of: value, as: attribute.type))
                    }
                    try check.complete(&row)
                    return true
                }
            }
        }
    }
}
