public import SwitchyardCore

extension SQLGenerator {
    /// Returns the SELECT statement of a selection.
    ///
    /// Its columns are those of the selection, in order.
    ///
    /// - Throws: `unsupported` or `schemaMismatch` if the selection names something that the schema lacks.
    public func select(_ selection: Selection) throws -> SQLStatement { try select(selection, and: nil) }

    /// Returns the same for the rows that also meet another condition.
    func select(_ selection: Selection, and condition: String?) throws -> SQLStatement {
        if let partition = selection.partition { return try select(selection, of: partition) }
        let layout = try layout(selection.entity.name)
        let source = SQLSource(layout)
        var writer = SQLWriter(self)
        writer.write("SELECT ")
        if selection.isWholeRow(of: layout.entity) {
            writer.write(layout.columnList)
        } else {
            try writer.list(selection.columns) { writer, column in try writer.selected(column, in: source) }
        }
        writer.write(" FROM \(layout.table)")
        try writer.whereClause(selection.condition, and: condition, in: source)
        if selection.isAggregate {
            try writer.groups(of: selection, in: source)
        } else {
            try writer.order(selection.usefulOrder, in: source)
        }
        writer.window(limit: selection.limit, offset: selection.offset)
        return writer.statement
    }

    /// Returns the text that selects the whole row of an id.
    ///
    /// The id is its only parameter, after that of the scope if there is one.
    ///
    /// - Throws: `schemaMismatch` if the schema lacks the entity.
    public func find(in entity: String) throws -> String {
        try select(try layout(entity).columnList, ofRowIn: entity)
    }

    /// Returns the text of a statement that fails unless there is a row with an id.
    ///
    /// A write that is committed in the same round trip cannot look at the row in between.
    ///
    /// - Throws: `schemaMismatch` if the schema lacks the entity.
    func requireRow(in entity: String) throws -> String {
        try select("1 / CAST(count(*) AS INTEGER)", ofRowIn: entity)
    }

    private func select(_ columns: String, ofRowIn entity: String) throws -> String {
        let layout = try layout(entity)
        var writer = SQLWriter(self)
        writer.write("SELECT \(columns) FROM \(layout.table) WHERE ")
        if isScoped {
            writer.write("\(Self.scopeColumn) = ")
            writer.writePlaceholder(1)
            writer.write(" AND ")
        }
        writer.write(try layout.column("id").name + " = ")
        writer.writePlaceholder(isScoped ? 2 : 1)
        return writer.text
    }
}

extension Selection {
    /// The order without the keys after the id, which have no effect within one scope, and with each attribute that is
    /// constant in all rows turned to the direction of the next key.
    ///
    /// One index then serves both `a IS NULL ORDER BY a, b DESC` and `a IS NULL ORDER BY a DESC, b DESC`. PostgreSQL
    /// itself drops a constant from the order if it is fixed by `=`, but not by `IS NULL`.
    var usefulOrder: [SortKey] {
        let isOverScopes = order.last?.isOwn(StoreScope.attribute.name) == true
        let last = isOverScopes ? nil : order.firstIndex { $0.isOwn("id") }
        let keys = last.map { order[...$0] } ?? order[...]
        let fixed = condition.fixedAttributes
        var next = SortDirection.ascending
        return keys.reversed().map { key in
            guard key.references.isEmpty, let attribute = key.attribute,
                key.nils == .usual(key.direction)
            else { return key }
            if !fixed.contains(attribute) { next = key.direction }
            return SortKey(attribute, next)
        }.reversed()
    }

    fileprivate func isWholeRow(of entity: Entity) -> Bool {
        columns.count == entity.attributes.count
            && zip(columns, entity.attributes).allSatisfy { column, attribute in
                if case .attribute(attribute.name) = column { true } else { false }
            }
    }
}

extension Condition {
    /// The attributes that have the same value in all rows that fulfil the condition.
    fileprivate var fixedAttributes: Set<String> {
        switch self {
        case .compare(.attribute(let name), .equal, .value): [name]
        case .all(let terms): terms.reduce(into: []) { $0.formUnion($1.fixedAttributes) }
        default: []
        }
    }
}

extension SQLWriter {
    mutating func order(_ keys: [SortKey], in source: SQLSource) throws {
        guard !keys.isEmpty else { return }
        write(" ORDER BY ")
        try list(keys) { writer, key in
            let canBeNull = try writer.value(of: key, in: source)
            if key.direction == .descending { writer.write(" DESC") }
            if canBeNull { writer.nullOrder(key.nils, key.direction) }
        }
    }

    /// Writes the value of a sort key with its collation.
    ///
    /// - Returns: Whether it can be NULL.
    mutating func value(of key: SortKey, in source: SQLSource) throws -> Bool {
        prepare(for: key.value)
        let (type, canBeNull) = try value(of: key, over: key.references[...], in: source)
        if !key.isPlain { collation(type) }
        return canBeNull
    }

    /// Writes the value of a sort key.
    ///
    /// - Returns: Its type, and whether it can be NULL.
    private mutating func value(
        of key: SortKey, over references: ArraySlice<String>, in source: SQLSource
    ) throws -> (AttributeType?, canBeNull: Bool) {
        guard let reference = references.first else {
            try operand(key.value, as: nil, in: source)
            return (try type(of: key.value, in: source), try key.value.canBeNull(in: source))
        }
        write("(SELECT ")
        let inner = try self.source(of: reference, in: source)
        let (type, _) = try value(of: key, over: references.dropFirst(), in: inner)
        write(" FROM ")
        _ = try related(by: reference, in: source)
        write(")")
        return (type, true)
    }

    /// Writes where NULL sorts.
    mutating func nullOrder(_ nils: NilOrder, _ direction: SortDirection) {
        guard dialect.spellsNullOrder || nils != .usual(direction) else { return }
        write(nils == .first ? " NULLS FIRST" : " NULLS LAST")
    }

    mutating func window(limit: Int?, offset: Int) {
        if let limit {
            write(" LIMIT ")
            value(.int(Int64(limit)), .int)
        } else if offset > 0, let unlimited = dialect.unlimited {
            write(" LIMIT \(unlimited)")
        }
        if offset > 0 {
            write(" OFFSET ")
            value(.int(Int64(offset)), .int)
        }
    }

    mutating func selected(_ column: SelectedColumn, in source: SQLSource) throws {
        switch column {
        case .attribute(let name): write(source.column(try source.layout.column(name).name))
        case .group(let key): try group(by: key, in: source)
        case .aggregate(let function): write(try aggregate(function, in: source))
        }
    }

    /// Writes the grouping keys and the order of the groups.
    ///
    /// The columns in the order are qualified: an unqualified name there refers first to a column of the result, and an
    /// aggregate such as `COUNT(*)` can have the name of an attribute. A period is named by its place in the result, since it
    /// has a parameter, and a database treats two expressions with different parameters as different keys.
    fileprivate mutating func groups(of selection: Selection, in source: SQLSource) throws {
        guard !selection.groups.isEmpty else { return }
        let keys: [(name: String, ordered: String, attribute: Attribute)] = try selection.groups.map { key in
            let column = try source.layout.column(key.attribute)
            switch key {
            case .attribute:
                return (column.name, "\(source.layout.qualifier).\(column.name)", column.attribute)
            case .period:
                guard let place = selection.columns.firstIndex(of: .group(key)) else {
                    throw StoreError(
                        .unsupported, "Periods by which rows are grouped must be among the columns.",
                        entity: source.layout.entity.name, attribute: key.attribute)
                }
                return (String(place + 1), String(place + 1), column.attribute)
            }
        }
        write(" GROUP BY ")
        list(keys) { writer, key in writer.write(key.name) }
        write(" ORDER BY ")
        list(keys) { writer, key in
            writer.write(key.ordered)
            if key.attribute.isOptional { writer.nullOrder(.first, .ascending) }
        }
    }

    /// Writes the expression of a grouping key.
    private mutating func group(by key: GroupKey, in source: SQLSource) throws {
        let column = try source.layout.column(key.attribute).name
        guard case .period(let period, _, let offsets) = key else { return write(column) }
        switch dialect.periods {
        case .timestampWithTimeZone:
            write(period == .day ? "((" : "(floor(extract(epoch FROM ")
            write("(\(column) + ")
            shift(column, offsets) { $0 }
            write(" * INTERVAL '1 second')")
            write(period == .day ? " AT TIME ZONE 'UTC')::date)" : ") / 3600)::bigint)")
        case .microseconds:
            // Division rounds towards zero: the sum is made positive, by a whole number of periods.
            let before = Int64(Self.daysBeforeAll) * Timestamp.microsecondsPerDay
            write("((\(column) + ")
            shift(column, offsets) { $0 * 1_000_000 + before }
            write(") / \(period.microseconds) - \(before / period.microseconds))")
        }
    }

    /// More days than lie between the year 1 and 1970, with every offset.
    private static let daysBeforeAll = 719_168

    /// Writes what is added to a time: the latest change that is not after it, which most rows are near.
    private mutating func shift(_ column: String, _ offsets: ClockOffsets, _ amount: (Int64) -> Int64) {
        func write(_ seconds: Int) { value(.int(amount(Int64(seconds))), .int) }
        guard !offsets.changes.isEmpty else { return write(offsets.seconds) }
        self.write("CASE")
        for change in offsets.changes.reversed() {
            self.write(" WHEN \(column) >= ")
            value(.timestamp(change.time), .timestamp)
            self.write(" THEN ")
            write(change.seconds)
        }
        self.write(" ELSE ")
        write(offsets.seconds)
        self.write(" END")
    }

    /// The expression of a figure.
    func aggregate(_ function: AggregateFunction, in source: SQLSource) throws -> String {
        func column(_ name: String) throws -> (name: String, attribute: Attribute) {
            let column = try source.layout.column(name)
            return (source.column(column.name), column.attribute)
        }
        switch function {
        case .count: return "COUNT(*)"
        case .countOf(let name): return "COUNT(\(try column(name).name))"
        case .countDistinct(let name): return "COUNT(DISTINCT \(try column(name).name))"
        case .sum(let name):
            return "COALESCE(\(dialect.integerSum.filled(with: try column(name).name)), 0)"
        case .average, .percentile, .calculated:
            throw StoreError(
                .unsupported, "This figure is calculated from the rows, not by the database.",
                entity: source.layout.entity.name, attribute: function.attribute)
        case .minimum(let name):
            let column = try column(name)
            return (dialect.extremes[column.attribute.type]?.minimum ?? "MIN($)").filled(with: column.name)
        case .maximum(let name):
            let column = try column(name)
            return (dialect.extremes[column.attribute.type]?.maximum ?? "MAX($)").filled(with: column.name)
        }
    }
}

extension String {
    /// The fragment of a dialect with `$` replaced by the column.
    func filled(with column: String) -> String { replacingBytes(of: "$", with: column) }
}
