import SwiftSyntax

/// The access levels, from the least visible to the most.
enum Access: Comparable, CaseIterable {
    case `private`, `fileprivate`, `internal`, package, `public`

    /// Reads an access modifier; nil for any other modifier.
    init?(_ modifier: DeclModifierSyntax) {
        guard let access = Self.allCases.first(where: { "\($0)" == modifier.name.text }) else { return nil }
        self = access
    }

    /// The modifier followed by a space; empty for `internal`.
    var modifier: String { self == .internal ? "" : "\(self) " }
}
