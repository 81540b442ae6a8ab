/// A table of the file with the pairs of a many-to-many relationship.
struct JoinTable {
    /// A column with the keys of rows.
    struct Column {
        let name: String
        /// The entity of the rows; nil for a relationship that is its own inverse.
        let number: Int64?
        /// The name of the relationship that leads to them, in upper case, perhaps with a number after it.
        let relationship: String
        /// The column with their order.
        let position: String?
    }

    let table: PhysicalTable
    /// The entity and the relationship after which the table is named.
    let owner: (number: Int64, relationship: String)
    let columns: [Column]

    /// Creates a join table from a physical table; nil for any other table.
    init?(_ table: PhysicalTable) {
        guard table.isTable, let owner = Self.parts(table.name[...], after: "Z_") else { return nil }
        let names = table.columns.map(\.name)
        let columns = names.compactMap { name -> Column? in
            let position = "Z_FOK_" + (name.hasPrefix("Z_") ? String(name.dropFirst(2)) : name)
            let found = names.contains(position) ? position : nil
            if name == Self.reflexive {
                return Column(name: name, number: nil, relationship: owner.relationship, position: found)
            }
            return Self.parts(name[...], after: "Z_").map { part in
                Column(name: name, number: part.number, relationship: part.relationship, position: found)
            }
        }
        guard columns.count == 2 else { return nil }
        (self.table, self.owner, self.columns) = (table, owner, columns)
    }

    /// The second column of a relationship that is its own inverse.
    private static let reflexive = "REFLEXIVE"

    private static func parts(_ name: Substring, after prefix: String) -> (
        number: Int64, relationship: String
    )? {
        guard name.hasPrefix(prefix) else { return nil }
        let rest = name.dropFirst(prefix.count)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), rest.count > digits.count else { return nil }
        return (number, String(rest.dropFirst(digits.count)))
    }

    /// Whether a column leads to the rows of a relationship.
    static func matches(_ column: Column, _ relationship: ManagedRelationship, to number: Int64) -> Bool {
        guard column.number == nil || column.number == number else { return false }
        let name = relationship.name.uppercased()
        return column.relationship.hasPrefix(name)
            && column.relationship.dropFirst(name.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}
