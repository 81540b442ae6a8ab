/// What follows from the rows before and after a row: SQL's window functions.
///
/// ```swift
/// let entries = try tx.fetch(
///     Entry.where(#Predicate { $0.account == id }).sorted(by: \.date), including: .running(.sum(\.amount)))
/// let feeds = try tx.fetch(Feed.sorted(by: \.start), including: .previous(\.end, per: \.baby))
/// let films = try tx.fetch(Film.sorted(by: \.year), including: .rank(per: \.genre))
/// ```
///
/// The rows are those of the query, in its order, which the id makes total; its limit and offset, and the sizes of pages,
/// count afterwards. `per:` divides them by the value of an attribute. Inside another row's include they are divided by that
/// row as well. In a read of several scopes, the rows of all count together, and those with one reference in each scope.
///
/// It is one more statement, which reads the needed attributes of all rows of the query.
extension Related {
    /// The value of an attribute in the row before; nil in the first row.
    public static func previous<Attribute>(
        _ attribute: KeyPath<Base, Attribute>, per partition: PartialKeyPath<Base>? = nil
    ) -> Self where Value == Attribute? {
        neighbour(attribute, per: partition, by: -1)
    }

    /// The value of an optional attribute in the row before; nil in the first row.
    public static func previous<Attribute>(
        _ attribute: KeyPath<Base, Attribute?>, per partition: PartialKeyPath<Base>? = nil
    ) -> Self where Value == Attribute? {
        neighbour(attribute, per: partition, by: -1)
    }

    /// The value of an attribute in the row after; nil in the last row.
    public static func next<Attribute>(
        _ attribute: KeyPath<Base, Attribute>, per partition: PartialKeyPath<Base>? = nil
    ) -> Self where Value == Attribute? {
        neighbour(attribute, per: partition, by: 1)
    }

    /// The value of an optional attribute in the row after; nil in the last row.
    public static func next<Attribute>(
        _ attribute: KeyPath<Base, Attribute?>, per partition: PartialKeyPath<Base>? = nil
    ) -> Self where Value == Attribute? {
        neighbour(attribute, per: partition, by: 1)
    }

    /// A figure over the rows up to this one, such as a balance or a moving average.
    ///
    /// - Parameters:
    ///   - figure: The figure.
    ///   - partition: The attribute that divides the rows.
    ///   - last: How many rows count at most, this one included; nil for all.
    /// - Returns: What to include. `last` below 1 is `invalidArgument`.
    public static func running(
        _ figure: Aggregate<Base, Value>, per partition: PartialKeyPath<Base>? = nil, last: Int? = nil
    ) -> Self {
        windowFigure(figure, per: partition) { rows, figure in
            guard let last else {
                var figure = figure
                return try rows.map { row in
                    figure.add(row.value)
                    return try figure.value()
                }
            }
            guard last > 0 else {
                throw StoreError(
                    .invalidArgument, "A moving figure is over at least one row.", entity: Base.entityName)
            }
            return try rows.indices.map { position in
                try figure.value(adding: rows[max(0, position - last + 1)...position])
            }
        }
    }

    /// A figure over all the rows, such as the sum that an amount is a share of.
    public static func overall(
        _ figure: Aggregate<Base, Value>, per partition: PartialKeyPath<Base>? = nil
    ) -> Self {
        windowFigure(figure, per: partition) { rows, figure in
            Array(repeating: try figure.value(adding: rows[...]), count: rows.count)
        }
    }

    /// The place of a row, from 1; rows that are equal in the query's order have the place of the first of them.
    public static func rank(per partition: PartialKeyPath<Base>? = nil) -> Self where Value == Int {
        place(per: partition) { places, position, isTie in isTie ? places : position + 1 }
    }

    /// The place of a row, from 1; rows that are equal in the query's order have one place, and the next row the next.
    public static func denseRank(per partition: PartialKeyPath<Base>? = nil) -> Self where Value == Int {
        place(per: partition) { place, _, isTie in isTie ? place : place + 1 }
    }

    /// The number of a row, from 1; of rows that are equal in the query's order, the smaller id comes first.
    public static func rowNumber(per partition: PartialKeyPath<Base>? = nil) -> Self where Value == Int {
        place(per: partition) { _, position, _ in position + 1 }
    }
}

extension Related {
    private static func neighbour(
        _ attribute: PartialKeyPath<Base>, per partition: PartialKeyPath<Base>?, by distance: Int
    ) -> Self {
        let attribute = Base.attribute(at: attribute)
        return window(per: partition, of: attribute.map { .attribute($0) }) { rows, _, _ in
            rows.indices.map { position in
                rows.indices.contains(position + distance) ? rows[position + distance].value : .null
            }
        }
    }

    private static func place(
        per partition: PartialKeyPath<Base>?, _ next: @escaping @Sendable (Int, Int, Bool) -> Int
    ) -> Self where Value == Int {
        window(per: partition, of: .success(nil), isRanking: true) { rows, _, _ in
            var place = 0
            return rows.indices.map { position in
                let isTie = position > 0 && rows[position].ranks == rows[position - 1].ranks
                place = next(place, position, isTie)
                return .int(Int64(place))
            }
        }
    }

    private static func windowFigure(
        _ figure: Aggregate<Base, Value>, per partition: PartialKeyPath<Base>?,
        _ calculate: @escaping @Sendable ([WindowRow], Accumulator) throws -> [StoredValue]
    ) -> Self {
        let function = figure.function
        return window(per: partition, of: function.map(\.value)) { rows, entity, tx in
            let function = try tx.validated(try function.get(), in: entity)
            let type = function.valueType(in: entity, of: tx.schema)
            return try calculate(rows, Accumulator(function, of: type))
        }
    }

    private static func window(
        per partition: PartialKeyPath<Base>?, of value: Result<Operand?, StoreError>, isRanking: Bool = false,
        _ calculate: @escaping @Sendable ([WindowRow], Entity, ReadTransaction) throws -> [StoredValue]
    ) -> Self {
        let partition = partition.map { Base.attribute(at: $0) }
        return Related(local: .success("id"), isRequired: false) { tx, keys, window in
            let value = try value.get()
            let found = try tx.windowValues(
                of: window, per: try partition?.get(), value, isRanking: isRanking
            ) { try calculate($0, window.rows.entity, tx) }
            return try keys.map { key in
                guard let value = (found[key] ?? .null).value(as: Value.self) else {
                    throw StoreError(
                        .corrupted,
                        "A value of another row is not of type \(Value.self). Run the store's check.",
                        entity: Base.entityName, attribute: value?.attribute)
                }
                return value
            }
        }
    }
}

extension AggregateFunction {
    /// What is aggregated; nil for `count`.
    fileprivate var value: Operand? { calculated ?? attribute.map { .attribute($0) } }
}

extension Operand {
    /// The name of an attribute; nil for any other value.
    var attribute: String? {
        if case .attribute(let name) = self { name } else { nil }
    }
}

extension Accumulator {
    /// The figure of some rows.
    fileprivate func value(adding rows: ArraySlice<WindowRow>) throws -> StoredValue {
        var figure = self
        for row in rows { figure.add(row.value) }
        return try figure.value()
    }
}
