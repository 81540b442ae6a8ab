/// A row together with the scope it belongs to.
public struct Scoped<Element> {
    /// The row.
    public let element: Element
    /// The scope that the row is in.
    public let scope: StoreScope

    /// Pairs a row with its scope.
    public init(_ element: Element, in scope: StoreScope) {
        self.element = element
        self.scope = scope
    }
}

extension Scoped: Sendable where Element: Sendable {}
extension Scoped: Equatable where Element: Equatable {}
extension Scoped: Hashable where Element: Hashable {}
