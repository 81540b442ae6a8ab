extension SchemaLint {
    /// The findings as text for people; those that are accepted are only counted.
    public var text: String {
        open.map { $0.text + "\n\n" }.joined() + summary + "\n"
    }

    /// How much was found, in one sentence.
    private var summary: String {
        let counts = LintSeverity.allCases.compactMap { severity -> String? in
            let count = open.filter { $0.rule.severity == severity }.count
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        let accepted = findings.count - open.count
        return (counts.isEmpty ? "No findings" : counts.joined(separator: ", "))
            + (accepted == 0 ? "." : "; \(accepted) accepted.")
    }
}

extension LintFinding {
    fileprivate var text: String {
        let versions =
            previous.flatMap { from in version.map { "\(from) to \($0): " } } ?? version.map { "\($0): " }
            ?? ""
        return """
            \(rule.severity.rawValue): \(versions)\(sentence)
              why     \(rule.why)
              fix     \(rule.fix)
              accept  \(key): …
            """
    }
}
