internal import SwitchyardCore

/// The text and the parameters of a statement that is being written.
struct SQLWriter {
    let generator: SQLGenerator
    /// Whether constants are written as literals, which DDL needs, instead of bound.
    let writesLiterals: Bool
    /// Whether nested lists of terms are written as bits, because the parser's stack is too small for the brackets.
    var writesBits = false
    /// How calculations behave that have no result.
    var calculations = CalculationContext.condition
    /// The names of the tables that conditions have looked into.
    var tablesOfConditions: Set<String> = []
    private(set) var text = ""
    private(set) var parameters: [SQLParameter] = []

    var dialect: SQLDialect { generator.dialect }

    init(_ generator: SQLGenerator, writesLiterals: Bool = false) {
        self.generator = generator
        self.writesLiterals = writesLiterals
        text.reserveCapacity(256)
    }

    var statement: SQLStatement { SQLStatement(text: text, parameters: parameters) }

    mutating func write(_ part: String) { text += part }

    /// Writes parts with a separator between them.
    mutating func list<Parts: Collection>(
        _ parts: Parts, separator: String = ", ", _ write: (inout SQLWriter, Parts.Element) throws -> Void
    ) rethrows {
        var isFirst = true
        for part in parts {
            if !isFirst { text += separator }
            isFirst = false
            try write(&self, part)
        }
    }

    /// Writes a value: as a placeholder, or as a literal in DDL.
    mutating func value(_ value: StoredValue, _ type: AttributeType) {
        if writesLiterals {
            text += dialect.literal(value, type)
        } else {
            placeholder(.value(value, type))
        }
    }

    /// Writes a placeholder and stores its parameter.
    mutating func placeholder(_ parameter: SQLParameter) {
        parameters.append(parameter)
        writePlaceholder(parameters.count)
    }

    /// Writes the placeholder with this number, whose value the caller binds.
    mutating func writePlaceholder(_ number: Int) {
        switch dialect.placeholder {
        case .questionMark: text += "?"
        case .numbered: text += "$\(number)"
        }
    }
}
