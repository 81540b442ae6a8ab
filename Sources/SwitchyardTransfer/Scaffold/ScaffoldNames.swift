/// Names of models and attributes, from those of tables and columns.
struct ScaffoldNames {
    private var taken: Set<String>

    init(taken: Set<String> = []) { self.taken = Set(taken.map { $0.lowercased() }) }

    /// A name of a model that no other has.
    mutating func model(_ name: String) -> String {
        let words = Self.words(name)
        let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return unused(Self.types.contains(joined) ? joined + "Row" : joined, "Model")
    }

    /// A name of an attribute that no other has.
    mutating func attribute(_ name: String) -> String {
        let words = Self.words(name)
        var joined = words.first.map { Self.decapitalised($0) } ?? ""
        for word in words.dropFirst() { joined += word.prefix(1).uppercased() + word.dropFirst() }
        let isReserved = Self.keywords.contains(joined) || Self.systemColumns.contains(joined)
        return unused(isReserved ? joined + "Value" : joined, "value")
    }

    /// This name, or one with a number if another has it.
    mutating func exact(_ name: String) -> String { unused(name, "value") }

    private mutating func unused(_ name: String, _ fallback: String) -> String {
        let isName = name.first.map { $0.isASCII && $0.isLetter } ?? false
        // A number may follow, and the name may not have more bytes than a database takes.
        let base = String((isName ? name : fallback + name).prefix(56))
        var (free, number) = (base, 2)
        while !taken.insert(free.lowercased()).inserted {
            free = base + String(number)
            number += 1
        }
        return free
    }

    /// The parts of a name between characters that Swift's names do not have; a name in capitals in small letters.
    private static func words(_ name: String) -> [String] {
        let isShouted = name.contains(where: \.isLetter) && !name.contains(where: \.isLowercase)
        let parts = name.split { !$0.isASCII || !$0.isLetter && !$0.isNumber }
        return parts.map { isShouted ? $0.lowercased() : String($0) }
    }

    private static func decapitalised(_ word: String) -> String {
        let head = word.prefix(while: \.isUppercase)
        // URLPath is urlPath, and Name is name.
        if head.count == word.count { return word.lowercased() }
        let count = head.count > 1 ? head.count - 1 : head.count
        return word.prefix(count).lowercased() + word.dropFirst(count)
    }

    /// Types that a model of the same name would hide from the models beside it.
    private static let types: Set<String> = [
        "Bool", "Data", "Date", "Decimal", "Double", "Int", "String", "UUID", "ToMany", "Model", "ID",
        "Index", "Unique",
        "Attribute", "Relationship", "Any", "Self", "Type", "Protocol", "Optional", "Array", "SchemaVersion",
    ]
    /// What every table of PostgreSQL has.
    private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "func", "import", "init", "inout", "let",
        "operator",
        "protocol", "static", "struct", "subscript", "typealias", "var", "break", "case", "continue",
        "default", "defer",
        "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "where",
        "while", "as",
        "catch", "false", "is", "nil", "rethrows", "super", "self", "throw", "throws", "true", "try",
        "internal", "private",
        "public", "package", "fileprivate", "open", "precedencegroup", "actor", "await", "async", "any",
        "some",
    ]
}

extension String {
    /// The text as a literal of Swift.
    var swiftLiteral: String {
        var literal = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case _ where scalar.value < 32 || scalar.value == 127:
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }
}
