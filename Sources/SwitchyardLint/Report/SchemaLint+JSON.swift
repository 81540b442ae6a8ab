internal import Foundation
internal import SwitchyardCore

extension SchemaLint {
    /// The findings as a JSON array, with those that are accepted.
    public var json: String { get throws { try Self.text(findings.map { JSONFinding($0) }) } }

    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}

/// A finding in JSON, always with the same members.
private struct JSONFinding: Encodable {
    let finding: LintFinding

    init(_ finding: LintFinding) { self.finding = finding }

    private enum Member: String, CodingKey {
        case rule, severity, version, previous, entity, part, message, why, fix, key, accepted
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(finding.rule.id, forKey: .rule)
        try members.encode(finding.rule.severity, forKey: .severity)
        try members.encode(finding.version?.description, forKey: .version)
        try members.encode(finding.previous?.description, forKey: .previous)
        try members.encode(finding.entity, forKey: .entity)
        try members.encode(finding.part, forKey: .part)
        try members.encode(finding.sentence, forKey: .message)
        try members.encode(finding.rule.why, forKey: .why)
        try members.encode(finding.rule.fix, forKey: .fix)
        try members.encode(finding.key, forKey: .key)
        try members.encode(finding.reason, forKey: .accepted)
    }
}
