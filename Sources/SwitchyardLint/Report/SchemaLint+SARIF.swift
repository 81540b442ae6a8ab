internal import Foundation
internal import SwitchyardCore

extension SchemaLint {
    /// The findings in the Static Analysis Results Interchange Format 2.1.0, as code-scanning services read it.
    ///
    /// Those that are accepted are suppressed, with the reason.
    ///
    /// - Parameter file: The file that the findings are shown at, relative to the repository: the lock file, since a plan
    ///   does not know where it is written.
    /// - Returns: The log.
    /// - Throws: What JSON cannot hold, which no finding has.
    public func sarif(file: String) throws -> String {
        let rules = LintRule.all.map { rule in
            SARIF.Rule(
                id: rule.id, shortDescription: .init(text: rule.why), help: .init(text: rule.fix),
                defaultConfiguration: .init(level: rule.severity))
        }
        let uri = file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? file
        let results = findings.map { finding in
            SARIF.Result(
                ruleId: finding.rule.id, ruleIndex: rules.firstIndex { $0.id == finding.rule.id } ?? -1,
                level: finding.rule.severity, message: .init(text: "\(finding.sentence) \(finding.rule.fix)"),
                locations: [
                    SARIF.Location(
                        physicalLocation: .init(artifactLocation: .init(uri: uri)),
                        logicalLocations: [finding.version?.description, finding.place].compactMap(\.self)
                            .isEmpty
                            ? nil
                            : [
                                .init(
                                    fullyQualifiedName: [finding.version?.description, finding.place]
                                        .compactMap(\.self).joined(separator: " "))
                            ])
                ],
                partialFingerprints: ["schemaFinding/v1": finding.key],
                suppressions: finding.reason.map { [.init(justification: $0)] } ?? [])
        }
        return try Self.text(
            SARIF(
                runs: [.init(tool: .init(driver: .init(rules: rules)), results: results)]))
    }
}

/// The parts of the format that a lint needs.
///
/// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/
private struct SARIF: Encodable {
    struct Run: Encodable {
        let tool: Tool
        let results: [Result]
    }

    struct Tool: Encodable { let driver: Driver }

    struct Driver: Encodable {
        let name = "schema-lint"
        let rules: [Rule]
    }

    struct Text: Encodable { let text: String }

    struct Rule: Encodable {
        struct Configuration: Encodable { let level: LintSeverity }

        let id: String
        let shortDescription: Text
        let help: Text
        let defaultConfiguration: Configuration
    }

    struct Result: Encodable {
        let ruleId: String
        let ruleIndex: Int
        let level: LintSeverity
        let message: Text
        let locations: [Location]
        let partialFingerprints: [String: String]
        let suppressions: [Suppression]
    }

    struct Location: Encodable {
        struct Physical: Encodable { let artifactLocation: Artifact }

        struct Artifact: Encodable { let uri: String }

        struct Logical: Encodable { let fullyQualifiedName: String }

        let physicalLocation: Physical
        let logicalLocations: [Logical]?
    }

    struct Suppression: Encodable {
        let kind = "external"
        let justification: String
    }

    let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }
}
