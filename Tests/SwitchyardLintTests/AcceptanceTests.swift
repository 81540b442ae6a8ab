import SwitchyardCore
import SwitchyardLint
import Testing

@Suite("Accepted findings")
struct AcceptanceTests {
    private let broken = plan([meal(a("name")), entity("Guest")], [meal(a("size", .int))])
    /// Two indexes of the second version.
    private let slow = plan(
        [meal(a("size", .int), a("day", .day))],
        [meal(a("size", .int), a("day", .day), index: [["size"], ["day"]])])

    private func list(_ text: String) throws -> [LintAcceptance] { try LintAcceptance.list(text: text) }

    @Test("accepted findings are read line by line, with their reasons")
    func reading() throws {
        let list = try list(
            "# Ours.\n\ncascade-cycle 8.0.0 Folder: A tree: asked before.\r\nblocking-index:No server.\n")
        #expect(list.map(\.key) == ["cascade-cycle 8.0.0 Folder", "blocking-index"])
        #expect(list.map(\.reason) == ["A tree: asked before.", "No server."])
        #expect(try self.list("") == [])
    }

    @Test(
        "accepted findings without a reason, without a rule, or twice are refused",
        arguments: [
            ("cascade-cycle 8.0.0 Folder\n", "Line 1 of the accepted findings gives no reason; "),
            ("cascade-cycle 8.0.0 Folder: \n", "Line 1 of the accepted findings gives no reason; "),
            ("\ncascade-circle 8.0.0 Folder: A tree.\n", "Line 2 of the accepted findings names no rule: "),
            (": A tree.\n", "Line 1 of the accepted findings names no rule: "),
            (
                "blocking-index: A.\nblocking-index: B.\n",
                "Line 2 of the accepted findings accepts something twice: "
            ),
        ])
    func refused(_ text: String, _ message: String) {
        let error = #expect(throws: StoreError.self) { try list(text) }
        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix(message) == true)
    }

    @Test("an accepted finding no longer fails a lint, and others do")
    func accepting() throws {
        let open = SchemaLint(broken)
        #expect(
            open.findings.map(\.key) == [
                "dropped-entity 2.0.0 Guest", "dropped-attribute 2.0.0 Meal.name",
                "required-attribute-added 2.0.0 Meal.size",
            ])
        #expect(open.fails)
        let one = SchemaLint(broken, accepting: try list("dropped-entity 2.0.0 Guest: Nobody has any."))
        #expect(one.fails)
        #expect(one.open.count == 2)
        #expect(one.findings.first?.reason == "Nobody has any.")
        let all = SchemaLint(
            broken,
            accepting: try list(
                """
                dropped-entity 2.0.0 Guest: Nobody has any.
                dropped-attribute 2.0.0 Meal.name: It was never shown.
                required-attribute-added 2.0.0 Meal.size: We try what happens.
                """))
        #expect(!all.fails)
        #expect(all.open.isEmpty)
    }

    @Test("acceptances of warnings may omit the place and the version; those of errors may not")
    func beginnings() throws {
        #expect(SchemaLint(slow).findings.count == 2)
        for key in ["blocking-index", "blocking-index 2.0.0"] {
            #expect(SchemaLint(slow, accepting: try list("\(key): No server.")).open.isEmpty, "\(key)")
        }
        for key in ["blocking-index 2.0", "blocking-index 2.0.0 Meal"] {
            #expect(
                SchemaLint(slow, accepting: try list("\(key): No server.")).open.map(\.rule.id) == [
                    "unused-acceptance", "blocking-index", "blocking-index",
                ], "\(key)")
        }
        let lint = SchemaLint(broken, accepting: try list("dropped-entity 2.0.0: No."))
        #expect(lint.open.count == 4)
        #expect(lint.open.first?.sentence == "Nothing finds what is accepted as `dropped-entity 2.0.0`.")
    }

    @Test("an acceptance of a fault of several versions applies to the first, and ends with it")
    func runs() {
        let tree = meal(ref("of", "Meal"), many: [many("parts", "Meal", by: "of", .cascade)])
        let flat = meal(ref("of", "Meal"), many: [many("parts", "Meal", by: "of")])
        func keys(_ plan: LintedPlan) -> [String] {
            SchemaLint(plan).findings.filter { $0.rule.id == "cascade-cycle" }.map(\.key)
        }
        #expect(keys(plan([flat], [tree], [tree], [tree])) == ["cascade-cycle 2.0.0 Meal"])
        #expect(keys(plan([tree], [flat], [tree])) == ["cascade-cycle 3.0.0 Meal"])
        #expect(keys(plan([tree], [tree], [flat])) == [])
        // An error is told of every version that has it.
        let wrong = meal(ref("guest", "Guest"))
        #expect(
            SchemaLint(plan([wrong], [wrong], [meal()], [wrong])).findings.filter {
                $0.rule.id == "relationship-out-of-version"
            }.map(\.key) == [
                "relationship-out-of-version 1.0.0 Meal.guest",
                "relationship-out-of-version 4.0.0 Meal.guest",
            ])
    }
}
