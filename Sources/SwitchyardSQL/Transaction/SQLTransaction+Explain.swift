public import SwitchyardCore

extension SQLTransaction {
    /// Asks the database for the plan of a selection.
    ///
    /// - Throws: As `SelectionExplaining` says.
    public func explain(
        _ selection: Selection
    ) throws -> (statement: String, steps: [String], indexes: [String]) {
        let statement = try sql.select(selection)
        let (command, columns) = sql.dialect.explanation
        var steps: [String] = []
        try telling(statement.text).query(
            SQLStatement(text: command + statement.text, parameters: statement.parameters), types: columns,
            context: ErrorContext(entity: selection.entity.name, attributes: columns.map(\.rawValue))
        ) { row in
            for _ in columns.dropLast() { _ = try row.next() }
            steps.append(try String(from: &row))
            return true
        }
        let known = Set(sql.schema.tables.flatMap(\.indexNames))
        let words = steps.flatMap { step in
            step.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        }
        let indexes = words.reduce(into: [String]()) { found, word in
            if known.contains(word), !found.contains(word) { found.append(word) }
        }
        return (statement.text, steps, indexes)
    }
}

extension Entity {
    /// The names of its indexes, but for those of nils and of folded copies.
    fileprivate var indexNames: [String] {
        attributes.filter { $0.reference != nil }.map { ConstraintName.reference($0, of: self) }
            + uniqueConstraints.map { $0.name(in: self) } + indexes.map { $0.name(in: self) }
    }
}
