import Foundation
import SwitchyardCore
import SwitchyardLint
import Testing

@Suite("Findings are written")
struct ReportTests {
    private func lint() throws -> SchemaLint {
        SchemaLint(
            plan([meal(a("name"))], [meal(ref("of", "Meal"))]),
            accepting: try LintAcceptance.list(text: "missing-inverse 2.0.0 Meal.of: Nobody deletes.\n"))
    }

    private func object(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    @Test("findings are printed as text, and accepted ones only counted")
    func text() throws {
        #expect(
            try lint().text == """
                error: 1.0.0 to 2.0.0: Meal.name is dropped: its values would be lost; declare the drop, or the new name.
                  why     The attribute's values would be lost in all rows.
                  fix     Say `.drop(\\Old.Model.attribute)` in the stage, or `.rename` if it has another name.
                  accept  dropped-attribute 2.0.0 Meal.name: …

                warning: 1.0.0 to 2.0.0: A foreign key of Meal to Meal is added while writes wait.
                  why     PostgreSQL adds the foreign key to both tables and blocks writes to either in the meantime.
                  fix     Accept it for tables that stay small, or update the app in a quiet period.
                  accept  blocking-reference 2.0.0 Meal.of: …

                1 error, 1 warning; 1 accepted.

                """)
        #expect(SchemaLint(plan([meal()])).text == "No findings.\n")
    }

    @Test("findings are printed as JSON, with the accepted ones and their reasons")
    func json() throws {
        let findings = try #require(try object(try lint().json) as? [[String: Any]])
        #expect(
            findings.map { $0["rule"] as? String } == [
                "dropped-attribute", "missing-inverse", "blocking-reference",
            ])
        #expect(findings.map { $0["severity"] as? String } == ["error", "warning", "warning"])
        #expect(findings.map { $0["accepted"] as? String } == [nil, "Nobody deletes.", nil])
        for finding in findings {
            #expect(
                finding.keys.sorted() == [
                    "accepted", "entity", "fix", "key", "message", "part", "previous", "rule", "severity",
                    "version", "why",
                ])
        }
        #expect(findings[0]["previous"] as? String == "1.0.0")
        #expect(findings[0]["version"] as? String == "2.0.0")
        #expect(findings[0]["entity"] as? String == "Meal")
        #expect(findings[0]["part"] as? String == "name")
        #expect(findings[1]["previous"] is NSNull)
        #expect(try SchemaLint(plan([meal()])).json == "[\n\n]\n")
    }

    @Test("findings are printed as SARIF, with a rule for each result, and accepted ones suppressed")
    func sarif() throws {
        let log = try #require(try object(try lint().sarif(file: "My App/schema.lock")) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        #expect((log["$schema"] as? String)?.hasSuffix("sarif-schema-2.1.0.json") == true)
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        #expect(rules.count == LintRule.all.count)
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.count == 3)
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
            let locations = try #require(result["locations"] as? [[String: Any]])
            let place = locations[0]["physicalLocation"] as? [String: [String: String]]
            #expect(place?["artifactLocation"]?["uri"] == "My%20App/schema.lock")
        }
        #expect(results.map { $0["level"] as? String } == ["error", "warning", "warning"])
        let suppressions = results.map {
            ($0["suppressions"] as? [[String: String]])?.first?["justification"]
        }
        #expect(suppressions == [nil, "Nobody deletes.", nil])
    }

    @Test("the article on the lint lists the rules as the code has them")
    func article() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Switchyard/Switchyard.docc/SchemaLint.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").drop {
            $0 != "| Rule | Severity | Why | What to do |"
        }
        #expect(
            rows.dropFirst(2).map(String.init)
                == LintRule.all.map { "| `\($0.id)` | \($0.severity.rawValue) | \($0.why) | \($0.fix) |" })
    }
}
