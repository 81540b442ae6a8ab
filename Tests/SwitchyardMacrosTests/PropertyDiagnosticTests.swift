import Testing

@Suite("Properties that cannot be stored")
struct PropertyDiagnosticTests {
    @Test(
        "a type that by its spelling no column holds is refused",
        arguments: [
            ("(Int, Int)", "a tuple cannot be stored: declare a Codable struct for it"),
            ("() -> Void", "a function cannot be stored"),
            ("Any", "only a concrete type can be stored, not 'Any'"),
            ("AnyObject", "only a concrete type can be stored, not 'AnyObject'"),
            ("any Codable", "only a concrete type can be stored, not 'any Codable'"),
            ("Codable & Sendable", "only a concrete type can be stored, not 'Codable & Sendable'"),
            ("Int.Type", "only a concrete type can be stored, not 'Int.Type'"),
            ("(() -> Void)", "a function cannot be stored"),
            ("@Sendable () -> Void", "a function cannot be stored"),
        ])
    func type(type: String, message: String) {
        expectRefusal(of: "    let id: ID\n    var value: \(type)", message, column: 16)
    }

    @Test(
        "an unsigned 64-bit integer is refused, with a signed one as the fix",
        arguments: [
            ("UInt64", "UInt64", "Int64"), ("Swift.UInt?", "Swift.UInt", "Int64?"),
            ("Optional<UInt128>", "UInt128", "Optional<Int64>"),
            ("Int128", "Int128", "Int64"),
        ])
    func wideInteger(type: String, name: String, fixed: String) {
        expectRefusal(
            of: "    let id: ID\n    var value: \(type) // why",
            "'\(name)' does not fit a signed column of 64 bits: store an Int64, a Decimal or text, whichever fits",
            column: 16,
            fixIt: ("store an 'Int64'", "    let id: ID\n    var value: \(fixed) // why"))
    }

    @Test("an implicitly unwrapped property is refused, with an optional as the fix")
    func implicitlyUnwrapped() {
        expectRefusal(
            of: "    let id: ID\n    var value: Int! = 1 // why",
            "a stored property of a model cannot be implicitly unwrapped", column: 16,
            fixIt: ("make it 'Int?'", "    let id: ID\n    var value: Int? = 1 // why"))
    }

    @Test(
        "a property that cannot be stored and has a default is offered as transient",
        arguments: [
            ("var value: (Int, Int) = (1, 2)", "a tuple cannot be stored: declare a Codable struct for it"),
            ("private var value: Any = 1", "only a concrete type can be stored, not 'Any'"),
            ("var value: Any?", "only a concrete type can be stored, not 'Any'"),
            ("var value: (any Codable)?", "only a concrete type can be stored, not '(any Codable)'"),
            ("var value: (() -> Void)? = nil", "a function cannot be stored"),
            ("let value: () -> Void = {}", "a function cannot be stored"),
        ])
    func transientOffer(declaration: String, message: String) {
        expectRefusal(
            of: "    let id: ID\n    /// What it is.\n    \(declaration) // why", message, line: 5,
            column: declaration.hasPrefix("private") ? 24 : 16,
            fixIt: (
                "mark it @Transient",
                "    let id: ID\n    /// What it is.\n    @Transient \(declaration) // why"
            ))
    }

    @Test("one of two properties on a line is not offered as transient")
    func noTransientOffer() {
        expectRefusal(
            of: "    let id: ID\n    var value: Any = 1, other: Int = 2",
            "only a concrete type can be stored, not 'Any'", column: 16)
    }

    @Test(
        "a missing type is refused, and inserted if the default reveals it",
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

    @Test("a missing type that the default does not reveal is refused without a fix")
    func unknownType() {
        expectRefusal(
            of: "    let id: ID\n    var value = makeValue()",
            "write out the type of 'value': a macro sees the source only, not the types inferred from it",
            column: 9)
    }

    @Test("a constant with a value is refused, with a variable as the fix")
    func constant() {
        expectRefusal(
            of: "    let id: ID\n    let kind: Int = 1",
            "'kind' already has a value and cannot be read from a row: make it a 'var'",
            fixIt: ("make it a 'var'", "    let id: ID\n    var kind: Int = 1"))
    }

    @Test(
        "lazy and weak properties are refused, with transient as the fix",
        arguments: [("lazy", "Int = 1"), ("weak", "Parent?"), ("unowned", "Parent? = nil")])
    func modifier(modifier: String, type: String) {
        expectRefusal(
            of: "    let id: ID\n    \(modifier) var value: \(type)",
            "a stored property of a model cannot be \(modifier); mark it @Transient to keep it out of the store",
            fixIt: (
                "mark it @Transient", "    let id: ID\n    @Transient \(modifier) var value: \(type)"
            ))
    }

    @Test("an unowned property without a default is refused without a fix")
    func unowned() {
        expectRefusal(
            of: "    let id: ID\n    unowned var value: Parent",
            "a stored property of a model cannot be unowned; mark it @Transient to keep it out of the store")
    }

    @Test("a tuple pattern is refused as a property")
    func pattern() {
        expectRefusal(
            of: "    let id: ID\n    var (a, b): (Int, Int)",
            "declare each stored property of a model by itself, not in a tuple", column: 9)
    }

    @Test("a stored property inside #if is refused in a model")
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
            "a @Transient property needs a default: it is not read from the row", column: 20)
    }

    @Test("two property names that differ only in case are refused")
    func duplicate() {
        expectRefusal(
            of: "    let id: ID\n    var name: String, Name: String",
            "there is already a property 'Name': two names must differ in more than case", column: 23)
    }
}
