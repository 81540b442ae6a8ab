internal import Foundation
internal import SwitchyardCore

/// What the values of a column allow it to become.
struct ScaffoldColumn {
    /// A type of Swift, and of an attribute.
    struct Choice: Hashable {
        let swift: String
        let type: AttributeType
        /// Whether a closure converts the values, because no attribute takes all of them as they are.
        var isConverted = false

        /// Whether it is of fractions, which a text can hold as well.
        fileprivate var isNumber: Bool { type == .double || type == .decimal }
    }

    let column: ForeignTable.Column
    /// The choices that all values allowed so far, the best first.
    private var choices: [Choice]
    /// Whether the declared type is of fractions.
    private let isNumeric: Bool
    /// Whether a value was null.
    private(set) var hasNulls = false

    init(_ column: ForeignTable.Column) {
        self.column = column
        let declared = Self.declared(column.type)
        isNumeric = declared?.isNumber ?? false
        choices = [declared].compactMap { $0 } + Self.others.filter { $0 != declared }
    }

    /// The best choice: data, to which any value can be converted, if there is no other.
    var choice: Choice { choices.first ?? Choice(swift: "Data", type: .blob, isConverted: true) }

    /// Takes a value into account.
    mutating func add(_ value: ForeignValue) {
        switch value {
        case .null: hasNulls = true
        // '00123' is no number where the column's type does not say so: its zeros would be lost.
        case .text where !isNumeric: choices.removeAll { $0.isNumber || !Self.takes($0, value) }
        default: choices.removeAll { !Self.takes($0, value) }
        }
    }

    private static let others = [
        Choice(swift: "Int", type: .int), Choice(swift: "Double", type: .double),
        Choice(swift: "Decimal", type: .decimal),
        Choice(swift: "String", type: .text), Choice(swift: "Data", type: .blob),
        Choice(swift: "UUID", type: .uuid),
        Choice(swift: "Date", type: .timestamp),
    ]

    /// Whether an attribute of the type takes the value as it is.
    private static func takes(_ choice: Choice, _ value: ForeignValue) -> Bool {
        let attribute = Attribute("value", type: choice.type)
        return (try? AdoptedForm.asIs.value(value, for: attribute)) != nil
    }

    /// The type that a declaration means, of SQLite, PostgreSQL or Core Data.
    private static func declared(_ type: String) -> Choice? {
        let word = type.lowercased()
        func has(_ parts: String...) -> Bool { parts.contains { word.contains($0) } }
        return if has("bool") { Choice(swift: "Bool", type: .bool) } else if has("uuid") {
            Choice(swift: "UUID", type: .uuid)
        } else if has("timestamp", "datetime") {
            Choice(swift: "Date", type: .timestamp)
        } else if word == "date" {
            Choice(swift: "CalendarDay", type: .day)
        } else if has("decimal", "numeric") {
            Choice(swift: "Decimal", type: .decimal)
        } else if has(
            "double", "real", "float")
        {
            Choice(swift: "Double", type: .double)
        } else if has("int") { Choice(swift: "Int", type: .int) } else if has("blob", "bytea") {
            Choice(swift: "Data", type: .blob)
        } else if has("char", "text", "json", "clob") { Choice(swift: "String", type: .text) } else { nil }
    }
}
