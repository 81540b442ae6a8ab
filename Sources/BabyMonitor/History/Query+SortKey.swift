internal import Switchyard

extension Query {
    /// The same rows sorted by a key, where the attribute is known by its name only.
    func sorted(by key: SortKey) -> Self {
        var copy = self
        copy.order = order.map { $0 + [key] }
        return copy
    }
}
