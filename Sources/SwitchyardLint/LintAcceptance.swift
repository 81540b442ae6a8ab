internal import SwitchyardCore

/// An accepted finding, and the reason.
///
/// Acceptances are lines of a file beside the lock file, where a reviewer sees each:
///
/// ```
/// cascade-cycle 8.0.0 Folder: Folders are a tree, and the app asks before it deletes one.
/// ```
public struct LintAcceptance: Sendable, Hashable {
    /// The finding's `key`: the rule, the version and the place.
    ///
    /// The beginning of a key also accepts warnings and notes: all of a rule, or of a rule and a version.
    /// Only its whole key accepts an error, so no unseen error is accepted.
    public let key: String
    /// Why it is accepted.
    public let reason: String

    func accepts(_ finding: LintFinding) -> Bool {
        finding.key == key || finding.rule.severity != .error && finding.key.hasPrefix(key + " ")
    }

    /// Reads the content of a file of acceptances.
    ///
    /// Empty lines, and those that begin with `#`, are ignored.
    ///
    /// - Throws: `configuration` for a line without a rule or a reason, and for a repeated one.
    public static func list(text: String) throws -> [LintAcceptance] {
        var list: [LintAcceptance] = []
        for (index, line) in text.lines.enumerated()
        where !line.hasPrefix("#") && !line.allSatisfy(\.isWhitespace) {
            func fault(_ message: String) -> StoreError {
                StoreError(
                    .configuration, "Line \(index + 1) of the accepted findings \(message): `\(line)`.")
            }
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let words = halves[0].split(separator: " ")
            guard let rule = words.first, LintRule.all.contains(where: { $0.id == rule }) else {
                throw fault("names no rule")
            }
            guard halves.count == 2, !halves[1].allSatisfy(\.isWhitespace) else {
                throw fault("gives no reason; write `\(words.joined(separator: " ")): ` and why")
            }
            let key = words.joined(separator: " ")
            guard !list.contains(where: { $0.key == key }) else { throw fault("accepts something twice") }
            list.append(LintAcceptance(key: key, reason: String(halves[1].drop(while: \.isWhitespace))))
        }
        return list
    }
}
