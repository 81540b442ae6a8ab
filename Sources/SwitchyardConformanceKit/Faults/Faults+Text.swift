internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in matching text.
    static let text: [Fault] =
        [
            matches("like-underscore", "_ in a search text matches any letter.") {
                text, match, other in
                guard other.contains("_") else { return nil }
                return match.finds(other.replacingEach("_", by: "[\\s\\S]"), in: text)
            },
            matches("like-percent", "% in a search text matches any text.") { text, match, other in
                guard other.contains("%") else { return nil }
                return match.finds(other.replacingEach("%", by: "[\\s\\S]*"), in: text)
            },
            matches("like-backslash", "A backslash in a search text is left out.") {
                text, match, other in
                other.contains("\\") ? match.holds(text, other.replacingOccurrences(of: "\\", with: "")) : nil
            },
            matches("like-case", "Text is matched ignoring the case of ASCII letters.") {
                text, match, other in
                match.holds(text.asciiLowercased, other.asciiLowercased)
            },
            matches("suffix-whole", "A text does not end with itself.") { text, match, other in
                match == .hasSuffix && !other.isEmpty && text == other ? false : nil
            },
            matches("suffix-empty", "No text ends with the empty one.") { _, match, other in
                match == .hasSuffix && other.isEmpty ? false : nil
            },
            matches("suffix-multibyte", "The length of an end is counted in characters and cut in bytes.") {
                text, match, other in
                guard match == .hasSuffix, other.utf8.count != other.count else { return nil }
                return Array(text.utf8.suffix(other.count)) == Array(other.utf8)
            },
            matches("prefix-empty", "No text begins with the empty one.") { _, match, other in
                match == .hasPrefix && other.isEmpty ? false : nil
            },
            matches(
                "prefix-d7ff", "Nothing begins with text that ends in U+D7FF, after which no scalar follows."
            ) {
                _, match, other in
                match == .hasPrefix && other.unicodeScalars.last?.value == 0xD7FF ? false : nil
            },
            matches("prefix-10ffff", "Nothing begins with text that ends in U+10FFFF, the last scalar.") {
                _, match, other in
                match == .hasPrefix && other.unicodeScalars.last?.value == 0x10FFFF ? false : nil
            },
            matches("contains-empty", "No text contains the empty one.") { _, match, other in
                match == .contains && other.isEmpty ? false : nil
            },
            matches("contains-canonical", "Text is matched by canonical equivalence.") {
                text, match, other in
                match.holds(
                    text.decomposedStringWithCanonicalMapping, other.decomposedStringWithCanonicalMapping)
            },
            equals("equal-canonical", "Texts that look alike are equal.") { $0 == $1 },
            equals("equal-case", "Texts that differ in case are equal.") {
                $0.lowercased() == $1.lowercased()
            },
            equals("equal-trailing-space", "Texts that differ in spaces at the end are equal.") { lhs, rhs in
                func kept(_ text: String) -> [UInt8] {
                    Array(text.utf8.reversed().drop { $0 == 32 })
                }
                return kept(lhs) == kept(rhs)
            },
            searches("search-ascii", "A search folds only ASCII letters.") { $0.asciiLowercased },
            searches("search-diacritics", "A search does not ignore diacritics.") {
                $0.folding(options: .caseInsensitive, locale: nil)
            },
        ]

    /// A fault in matching an attribute with a constant; nil where the result is correct.
    private static func matches(
        _ name: String, _ summary: String,
        _ holds: @escaping @Sendable (String, TextMatch, String) -> Bool?
    ) -> Fault {
        rewrites(name, summary) { condition, entity, driver in
            guard case .match(.attribute(let name), let match, .value(.text(let other))) = condition,
                let column = entity.column(name)
            else { return condition }
            return try driver.rows(of: entity) { row in
                guard case .text(let text) = row[column] else { return false }
                return holds(text, match, other) ?? match.holds(text, other)
            }
        }
    }

    private static func equals(
        _ name: String, _ summary: String, _ areEqual: @escaping @Sendable (String, String) -> Bool
    ) -> Fault {
        rewrites(name, summary) { condition, entity, driver in
            guard case .compare(.attribute(let name), let comparison, .value(.text(let other))) = condition,
                [.equal, .notEqual].contains(comparison), let column = entity.column(name)
            else { return condition }
            return try driver.rows(of: entity) { row in
                guard case .text(let text) = row[column] else { return comparison == .notEqual }
                return areEqual(text, other) == (comparison == .equal)
            }
        }
    }

    /// A fault in what a search compares; the text to find is folded correctly.
    private static func searches(
        _ name: String, _ summary: String, _ fold: @escaping @Sendable (String) -> String
    ) -> Fault {
        rewrites(name, summary) { condition, entity, driver in
            guard case .search(let name, let match, let other) = condition, let column = entity.column(name)
            else { return condition }
            return try driver.rows(of: entity) { row in
                guard case .text(let text) = row[column] else { return false }
                return match.holds(fold(text), other)
            }
        }
    }
}

extension TextMatch {
    /// Whether a regular expression matches at the place where the match requires it.
    fileprivate func finds(_ pattern: String, in text: String) -> Bool {
        let whole =
            switch self {
            case .contains: pattern
            case .hasPrefix: "^" + pattern
            case .hasSuffix: pattern + "$"
            case .equals: "^" + pattern + "$"
            }
        return text.range(of: whole, options: .regularExpression) != nil
    }
}

extension String {
    fileprivate var asciiLowercased: String {
        String(map { $0.isASCII ? Character($0.lowercased()) : $0 })
    }

    /// A regular expression that replaces a wildcard in the text with a pattern.
    fileprivate func replacingEach(_ wildcard: String, by pattern: String) -> String {
        components(separatedBy: wildcard).map { NSRegularExpression.escapedPattern(for: $0) }
            .joined(separator: pattern)
    }
}
