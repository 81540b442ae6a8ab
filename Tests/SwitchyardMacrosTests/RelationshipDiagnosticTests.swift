import Testing

@Suite("Invalid relationships, indexes and constraints")
struct RelationshipDiagnosticTests {
    @Test("a to-many without @Relationship is refused, with the attribute as the fix")
    func missingRelationship() {
        expectRefusal(
            of: "    let id: ID\n    /// Feeds.\n    var feeds: ToMany<Feed>",
            "'feeds' is a to-many: mark it @Relationship, naming the property of Feed that holds the id of Sample",
            line: 5,
            fixIt: (
                "mark it @Relationship",
                "    let id: ID\n    /// Feeds.\n    @Relationship(inverse: \\Feed.<#to-one#>) var feeds: ToMany<Feed>"
            ))
    }

    @Test("a missing inverse is refused, with a placeholder as the fix")
    func missingInverse() {
        expectRefusal(
            of: "    let id: ID\n    @Relationship(deleteRule: .nullify) var feeds: ToMany<Feed>",
            "a to-many needs its inverse: the property of Feed that holds the id of Sample",
            fixIt: (
                "add the inverse",
                "    let id: ID\n    @Relationship(deleteRule: .nullify, inverse: \\Feed.<#to-one#>) var feeds: ToMany<Feed>"
            ))
    }

    @Test("a missing inverse is offered even without any arguments")
    func missingArguments() {
        expectRefusal(
            of: "    let id: ID\n    @Relationship var feeds: ToMany<Feed>",
            "a to-many needs its inverse: the property of Feed that holds the id of Sample",
            fixIt: (
                "add the inverse",
                "    let id: ID\n    @Relationship(inverse: \\Feed.<#to-one#>) var feeds: ToMany<Feed>"
            ))
    }

    @Test(
        "an inverse without its model is refused",
        arguments: ["\\.profile", "\\Feed.profile.name", "inverse"])
    func inverse(inverse: String) {
        expectRefusal(
            of: "    let id: ID\n    @Relationship(inverse: \(inverse)) var feeds: ToMany<Feed>",
            "write the inverse as a key path with its model, such as '\\FeedSession.profile'", column: 28)
    }

    @Test("a delete rule that is not a literal is refused")
    func deleteRule() {
        expectRefusal(
            of:
                "    let id: ID\n    @Relationship(deleteRule: rule, inverse: \\Feed.profile) var feeds: ToMany<Feed>",
            "write the delete rule out as '.nullify', '.cascade', '.deny' or '.noAction'", column: 31)
    }

    @Test(
        "a required inverse in the same struct is refused under .nullify, with an optional as the fix",
        arguments: ["Sample.ID", "ID", "Identifier<Sample>"])
    func requiredInverse(type: String) {
        let relationship = "    @Relationship(inverse: \\Sample.parent) var children: ToMany<Sample>"
        expectRefusal(
            of: "    let id: ID\n\(relationship)\n    var parent: \(type) // above",
            "the delete rule .nullify of 'children' sets 'parent' to nil: make it optional, or choose .cascade or .deny",
            line: 5, column: 17,
            fixIt: (
                "make it optional", "    let id: ID\n\(relationship)\n    var parent: \(type)? // above"
            ))
    }

    @Test(
        "one index or constraint declared twice is refused",
        arguments: [
            ("Index", "([\\.id], [\\.id])", "index", 28),
            ("Unique", "([\\.id], [\\.id], where: { $0.id == $0.id })", "unique constraint", 29),
        ])
    func duplicateConstraint(macro: String, arguments: String, what: String, column: Int) {
        expectRefusal(
            of: "    #\(macro)<Sample>\(arguments)\n    let id: ID",
            "the same \(what) is declared already", line: 3, column: column)
    }

    @Test("the filter of an index that is not a literal is refused")
    func hiddenIndexFilter() {
        expectRefusal(
            of: "    #Index<Sample>([\\.id], where: filter)\n    let id: ID",
            "write the filter out as a closure, such as '{ $0.endTime == nil }'", line: 3, column: 35)
    }

    @Test(
        "@Relationship on anything but a to-many is refused",
        arguments: ["Feed.ID?", "[Feed]", "ToMany<Feed>?"])
    func relationshipType(type: String) {
        expectRefusal(
            of: "    let id: ID\n    @Relationship(inverse: \\Feed.profile) var feeds: \(type)",
            "@Relationship declares a to-many: give the property the type ToMany of the other model; a to-one is a "
                + "property of type ID and needs no attribute")
    }

    @Test(
        "an index or a constraint over a property that is not stored is refused",
        arguments: ["Index", "Unique"])
    func notAnAttribute(macro: String) {
        expectRefusal(
            of: "    #\(macro)<Sample>([\\.id, \\.title])\n    let id: ID\n    var title: String { \"\" }",
            "'title' is not a stored attribute of Sample; only those can be indexed", line: 3,
            column: macro == "Index" ? 27 : 28)
    }

    @Test(
        "an index or a constraint of no attribute is refused",
        arguments: [
            ("#Index<Sample>()", 5), ("#Unique<Sample> { $0.id == $0.id }", 5), ("#Index<Sample>([])", 20),
        ])
    func noAttributes(macro: String, column: Int) {
        expectRefusal(
            of: "    \(macro)\n    let id: ID",
            "an index or a constraint needs at least one attribute, such as '[\\.name]'", line: 3,
            column: column)
    }

    @Test("an index or a constraint inside #if is refused", arguments: ["Index", "Unique"])
    func conditional(macro: String) {
        expectRefusal(
            of: "    let id: ID\n    #if os(Linux)\n    #\(macro)<Sample>([\\.id])\n    #endif",
            "#\(macro) cannot depend on '#if': an entity has the same indexes and constraints in every build",
            line: 5)
    }

    @Test("an index over more than a property is refused")
    func deepKeyPath() {
        expectRefusal(
            of: "    #Index<Sample>([\\.name.count])\n    let id: ID\n    var name: String",
            "write the attribute as a key path of one property, such as '\\.name'", line: 3, column: 21)
    }

    @Test("an index whose attributes are not literal is refused")
    func hiddenKeyPaths() {
        expectRefusal(
            of: "    #Index<Sample>(paths)\n    let id: ID",
            "write the attributes out as a list of key paths, such as '[\\.name]'", line: 3, column: 20)
    }

    @Test("a unique constraint's filter that is not a literal is refused")
    func hiddenFilter() {
        expectRefusal(
            of: "    #Unique<Sample>([\\.id], where: filter)\n    let id: ID",
            "write the filter out as a closure, such as '{ $0.endTime == nil }'", line: 3, column: 36)
    }

    @Test("a to-many whose inverse is a to-many of the same model needs a model for the link")
    func manyToMany() {
        expectRefusal(
            of: """
                    let id: ID
                    @Relationship(inverse: \\Sample.friends) var friends: ToMany<Sample>
                """,
            "the inverse of a to-many is a reference, not a to-many: for a many-to-many, declare a model for the link, "
                + "with a reference to each side", line: 4, column: 28)
    }
}
