import SwiftSyntax

/// How visible a declaration is, from the least.
enum Access: Comparable, CaseIterable {
    case `private`, `fileprivate`, `internal`, package, `public`

    /// Reads a modifier; nil if it is of another kind.
    init?(_ modifier: DeclModifierSyntax) {
        guard let access = Self.allCases.first(where: { "\($0)" == modifier.name.text }) else { return nil }
        self = access
    }

    /// The modifier with a space behind it, or nothing where none is needed.
    var modifier: String { self == .internal ? "" : "\(self) " }
}
