internal import Foundation
internal import SwitchyardCore

extension AdoptionScaffold {
    /// The models and the plan in Swift.
    package var source: String {
        let list = models.map { "\($0.name).self" }.joined(separator: ", ")
        var lines = [
            "import Foundation", "import Switchyard", "import SwitchyardTransfer", "",
            "/// The models of a database, as its tables and values suggest them.",
            "enum \(name): VersionedSchema {", "    static let version = SchemaVersion(1)",
            "    static let models: [any Model.Type] = [\(list)]",
        ]
        for model in models {
            lines += [""] + model.source(among: models).map { $0.isEmpty ? "" : "    " + $0 }
        }
        lines += ["}", ""]
        let waiting = preview.findings.filter(\.needsAcknowledgement)
        for finding in waiting { lines.append("// \(finding.description)") }
        lines += [
            "/// What the tables and columns become.", "func adoptionPlan() throws -> AdoptionPlan {",
            "    try AdoptionPlan(", "        \(name).self,",
        ]
        let tables =
            models.map { $0.planSource(in: name) } + skippedTables.map { [".ignored(\($0.swiftLiteral))"] }
        for (index, table) in tables.enumerated() {
            let isLast = index == tables.count - 1
            for (position, line) in table.enumerated() {
                let end = position < table.count - 1 ? "" : isLast ? ")" : ","
                lines.append("        " + line + end)
            }
        }
        if !waiting.isEmpty {
            let codes = Set(waiting.map(\.code.description)).sorted().map { "ForeignFinding.Code(\"\($0)\")" }
            lines.append("    // To go on all the same: acknowledging: [\(codes.joined(separator: ", "))]")
        }
        lines += ["}", ""]
        return lines.joined(separator: "\n")
    }
}

extension ScaffoldModel {
    /// The declaration of the model.
    fileprivate func source(among models: [ScaffoldModel]) -> [String] {
        var lines = ["@Model", "struct \(name) {"]
        for names in unique {
            lines.append("    #Unique<\(name)>([\(names.map { "\\.\($0)" }.joined(separator: ", "))])")
        }
        if !unique.isEmpty { lines.append("") }
        lines.append("    let id: ID")
        for attribute in attributes {
            let mark = attribute.isOptional ? "?" : ""
            switch attribute.kind {
            case .value(let choice):
                let value = attribute.defaultValue?.swiftLiteral.map { " = \($0)" } ?? ""
                lines.append("    var \(attribute.name): \(choice.swift)\(mark)\(value)")
            case .reference(let target): lines.append("    var \(attribute.name): \(target).ID\(mark)")
            }
        }
        for relationship in relationships {
            lines += [
                "    @Relationship(deleteRule: .\(relationship.deleteRule.rawValue), inverse: \\\(relationship.target)."
                    + "\(relationship.inverse))",
                "    var \(relationship.name): ToMany<\(relationship.target)>",
            ]
        }
        return lines + ["}"]
    }

    /// The declaration of the table in the plan.
    fileprivate func planSource(in schema: String) -> [String] {
        var rules: [String] = []
        if !idColumns.isEmpty {
            let options =
                (unusable == .fromKey ? ", ifUnusable: .fromKey" : "")
                + (shared == .kept ? ", ifShared: .kept" : "")
            rules.append(".id(from: \(idColumns.map(\.swiftLiteral).joined(separator: ", "))\(options))")
        }
        for attribute in attributes {
            let columns = attribute.columns.map(\.swiftLiteral).joined(separator: ", ")
            switch attribute.kind {
            case .value(let choice):
                let form = choice.isConverted ? ", .bytes" : ""
                rules.append(".column(\(columns), to: \\.\(attribute.name)\(form))")
            case .reference:
                let missing = attribute.missing == .orNil ? ", whenMissing: .orNil" : ""
                rules.append(".reference(\(columns), to: \\.\(attribute.name)\(missing))")
            }
        }
        let head = ".table(\(table.name.swiftLiteral), as: \(schema).\(name).self"
        guard !rules.isEmpty else { return [head + ")"] }
        return [head + ","]
            + rules.enumerated().map { "    " + $1 + ($0 == rules.count - 1 ? ")" : ",") }
    }
}

extension StoredValue {
    /// The value as a literal of Swift, of the types whose literals are plain.
    var swiftLiteral: String? {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .decimal(let number): CanonicalDecimal.text(number)
        case .double(let number): number.isFinite ? number.description : nil
        case .text(let text): text.swiftLiteral
        default: nil
        }
    }
}
