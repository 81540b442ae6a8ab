internal import SwitchyardCore

/// Conditions. Each node is written so that it is true exactly if the condition (or, if `negated`, its opposite) is
/// true, and false or NULL otherwise. In `WHERE`, and under `AND`, `OR` and `CASE WHEN`, NULL counts as false, so
/// pushing negation down to the leaves is enough for two-valued logic.
extension SQLWriter {
    /// Writes the WHERE clause of a table, including its scope; nothing if all rows match.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - other: The text of another condition that rows must meet, which names unqualified columns.
    ///   - source: The table.
    /// - Throws: `unsupported` or `schemaMismatch` if the condition names something that the schema lacks.
    mutating func whereClause(_ condition: Condition, and other: String? = nil, in source: SQLSource) throws {
        let isAlwaysTrue = condition == .constant(true)
        guard generator.isScoped || other != nil || !isAlwaysTrue else { return }
        write(" WHERE ")
        prepare(for: condition)
        if generator.isScoped {
            scope(of: source)
            if other != nil || !isAlwaysTrue { write(" AND ") }
        }
        if let other {
            write("(\(other))")
            if !isAlwaysTrue { write(" AND ") }
        }
        guard !isAlwaysTrue else { return }
        let isAlone = !generator.isScoped && other == nil
        try operand(of: .and, condition, negated: false, in: source, isAlone: isAlone)
    }

    /// Writes the restriction to the scopes, and `AND`; nothing if the tables have no scopes.
    ///
    /// - Parameters:
    ///   - source: The table of the rows; nil if its columns are unqualified.
    ///   - outer: The enclosing table, whose row determines the scope; nil for the scopes of the transaction.
    mutating func scopeAnd(of source: SQLSource? = nil, inside outer: SQLSource? = nil) {
        guard generator.isScoped else { return }
        scope(of: source, inside: outer)
        write(" AND ")
    }

    /// Writes the restriction to the scopes.
    mutating func scope(of source: SQLSource? = nil, inside outer: SQLSource? = nil) {
        let scopes = generator.scopes
        write(source?.column(SQLGenerator.scopeColumn) ?? SQLGenerator.scopeColumn)
        if scopes.count == 1 {
            write(" = ")
            placeholder(.value(.uuid(scopes[0].uuid), .uuid))
        } else if let outer {
            write(" = " + outer.outerColumn(SQLGenerator.scopeColumn))
        } else {
            members(scopes.map { .uuid($0.uuid) }, .uuid)
        }
    }

    mutating func condition(_ condition: Condition, negated: Bool, in source: SQLSource) throws {
        switch condition {
        case .constant(let value): write(value != negated ? "TRUE" : "FALSE")
        case .not(let inner): try self.condition(inner, negated: !negated, in: source)
        case .all(let parts): try connected(parts, by: negated ? .or : .and, negated: negated, in: source)
        case .any(let parts): try connected(parts, by: negated ? .and : .or, negated: negated, in: source)
        case .compare(let lhs, let comparison, let rhs):
            try compare(lhs, negated ? comparison.opposite : comparison, rhs, isOpposite: negated, in: source)
        case .isIn(let operand, let values): try membership(of: operand, values, negated: negated, in: source)
        case .match(let text, let match, let other):
            try possiblyNegated(negated) { try $0.match(text, match, other, in: source) }
        case .search(let attribute, let match, let text):
            try possiblyNegated(negated) { try $0.search(attribute, match, text, in: source) }
        case .exists(let relationship, let condition):
            // Negated, the list would be made whole, unless it is an index as it stands.
            let isList = !negated || condition == .constant(true) && !generator.isScoped
            if isList, !dialect.joinsExists, try association(relationship, of: source).isToOne {
                try possiblyNegated(negated) { try $0.membership(relationship, condition, in: source) }
            } else {
                if negated { write("NOT ") }
                try exists(relationship, condition, in: source)
            }
        }
    }

    /// Negates by `IS NOT TRUE`, which turns NULL into true, as the opposite of "false or NULL" must be.
    private mutating func possiblyNegated(_ negated: Bool, _ body: (inout SQLWriter) throws -> Void) rethrows
    {
        if negated { write("(") }
        try body(&self)
        if negated { write(") IS NOT TRUE") }
    }

    private mutating func exists(_ name: String, _ condition: Condition, in source: SQLSource) throws {
        write("EXISTS (SELECT 1 FROM ")
        let inner = try related(by: name, in: source)
        try also(condition, in: inner)
        write(")")
    }

    /// Writes an `exists` through a reference as `IN`, so that the rows are found by an index on the reference.
    ///
    /// SQLite evaluates an `EXISTS` for each row of the outer table, but can drive a query from the list of an `IN`
    /// (sqlite.org/optoverview.html, "Subquery flattening" and "WHERE clause analysis").
    private mutating func membership(_ name: String, _ condition: Condition, in source: SQLSource) throws {
        let association = try association(name, of: source)
        let inner = try inner(of: association, in: source)
        // A single scope is a constant; with several, the scope of the row is part of the key to look for.
        let column = SQLGenerator.scopeColumn
        let (outerScope, innerScope) =
            generator.scopes.count > 1
            ? (source.column(column) + ", ", inner.column(column) + ", ") : ("", "")
        let local = outerScope + source.column(try source.layout.column(association.local).name)
        let id = innerScope + inner.column(try inner.layout.column(association.key).name)
        write(outerScope.isEmpty ? local : "(\(local))")
        write(" IN (SELECT \(id) FROM \(inner.layout.table) AS \(inner.alias ?? "")")
        if generator.isScoped {
            write(" WHERE ")
            scope(of: inner)
            try also(condition, in: inner)
        } else if condition != .constant(true) {
            write(" WHERE ")
            try operand(of: .and, condition, negated: false, in: inner, isAlone: true)
        }
        write(")")
    }

    /// Writes a condition as a further term of a `WHERE`.
    mutating func also(_ condition: Condition, in source: SQLSource) throws {
        guard condition != .constant(true) else { return }
        write(" AND ")
        try operand(of: .and, condition, negated: false, in: source, isAlone: false)
    }

    /// The table that a relationship or a reference leads to.
    mutating func source(of name: String, in outer: SQLSource) throws -> SQLSource {
        try inner(of: try association(name, of: outer), in: outer)
    }

    /// Writes the table of an association and the join condition.
    mutating func related(by name: String, in source: SQLSource) throws -> SQLSource {
        let association = try association(name, of: source)
        let inner = try inner(of: association, in: source)
        write("\(inner.layout.table) AS \(inner.alias ?? "") WHERE ")
        scopeAnd(of: inner, inside: source)
        write(inner.column(try inner.layout.column(association.key).name) + " = ")
        write(source.outerColumn(try source.layout.column(association.local).name))
        return inner
    }

    private mutating func inner(of association: Association, in source: SQLSource) throws -> SQLSource {
        let layout = try generator.layout(association.target)
        tablesOfConditions.insert(layout.table)
        return SQLSource(layout, inside: source)
    }

    private func association(_ name: String, of source: SQLSource) throws -> Association {
        let entity = source.layout.entity
        guard let association = entity.association(name) else {
            throw StoreError(
                .unsupported, "There is no relationship or reference `\(name)`.", entity: entity.name)
        }
        guard !writesLiterals else {
            throw StoreError(
                .schemaInvalid, "The filter of an index can only test its own row.", entity: entity.name)
        }
        return association
    }
}
