import Testing

@Suite("Properties that cannot be stored are refused")
struct PropertyDiagnosticTests {
    @Test(
        "a type whose spelling says that no column holds it is refused",
        arguments: [
            ("Int!", "a stored property of a model cannot be implicitly unwrapped"),
            ("(Int, Int)", "a tuple cannot be stored: declare a Codable struct for it"),
            ("() -> Void", "a function cannot be stored"),
            ("Any", "only a concrete type can be stored, not 'Any'"),
            ("Any?", "only a concrete type can be stored, not 'Any'"),
            ("AnyObject", "only a concrete type can be stored, not 'AnyObject'"),
            ("any Codable", "only a concrete type can be stored, not 'any Codable'"),
            ("Codable & Sendable", "only a concrete type can be stored, not 'Codable & Sendable'"),
            ("Int.Type", "only a concrete type can be stored, not 'Int.Type'"),
            (
                "UInt64",
                "'UInt64' does not fit a signed column of 64 bits: store an Int64, a Decimal or text, as the meaning asks"
            ),
            (
                "Swift.UInt?",
                "'Swift.UInt' does not fit a signed column of 64 bits: store an Int64, a Decimal or text, as the meaning asks"
            ),
        ])
    func type(type: String, message: String) {
        expectRefusal(of: "    let id: ID\n    var value: \(type)", message, column: 16)
    }

    @Test(
        "a missing type is refused, and offered where the default tells it",
        arguments: [
            ("\"\"", "String"), ("1", "Int"), ("-1", "Int"), ("2.5", "Double"), ("true", "Bool"),
            ("Date()", "Date"), ("FeedType.solid", "FeedType"),
        ])
    func missingType(value: String, type: String) {
        expectRefusal(
            of: "    let id: ID\n    var value = \(value) // why",
            "write out the type of 'value': a macro sees the source only, not the types inferred from it",
            column: 9,
            fixIt: ("add ': \(type)'", "    let id: ID\n    var value: \(type) = \(value) // why"))
    }

    @Test("a missing type that the default does not tell is refused without an offer")
    func unknownType() {
        expectRefusal(
            of: "    let id: ID\n    var value = makeValue()",
            "write out the type of 'value': a macro sees the source only, not the types inferred from it",
            column: 9)
    }

    @Test("a constant with a value is refused, and offered as a variable")
    func constant() {
        expectRefusal(
            of: "    let id: ID\n    let kind: Int = 1",
            "'kind' has its value already and cannot be read from a row: make it a 'var'",
            fixIt: ("make it a 'var'", "    let id: ID\n    var kind: Int = 1"))
    }

    @Test("lazy and weak properties are refused", arguments: ["lazy", "weak", "unowned"])
    func modifier(modifier: String) {
        expectRefusal(
            of: "    let id: ID\n    \(modifier) var value: Int? = 1",
            "a stored property of a model cannot be \(modifier); mark it @Transient to keep it out of the store"
        )
    }

    @Test("a tuple pattern is refused")
    func pattern() {
        expectRefusal(
            of: "    let id: ID\n    var (a, b): (Int, Int)",
            "declare each stored property of a model by itself, not in a tuple", column: 9)
    }

    @Test("a stored property inside #if is refused")
    func conditional() {
        expectRefusal(
            of: "    let id: ID\n    #if DEBUG\n    var value: Int\n    #endif",
            "a stored property cannot depend on '#if': an entity has the same columns in every build", line: 5
        )
    }

    @Test("a transient property without a default is refused")
    func transient() {
        expectRefusal(
            of: "    let id: ID\n    @Transient var value: Int",
            "a @Transient property needs a default, which it has when a row is read", column: 20)
    }

    @Test("two names that differ in case only are refused")
    func duplicate() {
        expectRefusal(
            of: "    let id: ID\n    var name: String, Name: String",
            "there is another property 'Name'; upper and lower case are not told apart", column: 23)
    }
}
