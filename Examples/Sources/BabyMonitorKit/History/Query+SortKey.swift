internal import Switchyard

extension Query {
    /// The same query sorted by a key, for attributes known only by name.
    func sorted(by key: SortKey) -> Self {
        var copy = self
        copy.order = order.map { $0 + [key] }
        return copy
    }
}
