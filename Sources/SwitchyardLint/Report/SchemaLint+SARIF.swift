internal import Foundation
internal import SwitchyardCore

extension SchemaLint {
    /// The findings in the Static Analysis Results Interchange Format 2.1.0, as code-scanning services read it.
    ///
    /// Those that are accepted are suppressed, with the reason.
    ///
    /// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
    ///
    /// - Parameter file: The file that the findings are shown at, relative to the repository: the lock file, since a plan
    ///   does not know where it is written.
    /// - Returns: The log.
    /// - Throws: What JSON cannot hold, which no finding has.
    public func sarif(file: String) throws -> String {
        let rules: [[String: Any]] = LintRule.all.map { rule in
            [
                "id": rule.id, "shortDescription": ["text": rule.why], "help": ["text": rule.fix],
                "defaultConfiguration": ["level": rule.severity.rawValue],
            ]
        }
        let uri = file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? file
        let log: [String: Any] = [
            "$schema":
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
            "version": "2.1.0",
            "runs": [
                [
                    "tool": ["driver": ["name": "schema-lint", "rules": rules]],
                    "results": findings.map { $0.sarif(at: uri) },
                ]
            ],
        ]
        let data = try JSONSerialization.data(
            withJSONObject: log, options: [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

extension LintFinding {
    fileprivate func sarif(at uri: String) -> [String: Any] {
        var location: [String: Any] = ["physicalLocation": ["artifactLocation": ["uri": uri]]]
        let name = [version?.description, place].compactMap(\.self).joined(separator: " ")
        if !name.isEmpty { location["logicalLocations"] = [["fullyQualifiedName": name]] }
        return [
            "ruleId": rule.id, "ruleIndex": LintRule.all.firstIndex { $0.id == rule.id } ?? -1,
            "level": rule.severity.rawValue, "message": ["text": "\(sentence) \(rule.fix)"],
            "locations": [location], "partialFingerprints": ["schemaFinding/v1": key],
            "suppressions": reason.map { [["kind": "external", "justification": $0]] } ?? [],
        ]
    }
}
