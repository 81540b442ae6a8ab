package import OrderedCollections

/// A dictionary of bounded size, whose least recently used value is the first to leave.
///
/// Its code can be inlined, because prepared statements are looked up in it for every query.
package struct LRUCache<Key: Hashable, Value> {
    /// The least recently used first.
    @usableFromInline var values: OrderedDictionary<Key, Value> = [:]
    @usableFromInline let capacity: Int

    /// Makes a cache for at least one value.
    @inlinable
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The number of values.
    @inlinable package var count: Int { values.count }

    /// The value of a key, which thereby is the most recently used; nil if there is none.
    ///
    /// - Complexity: O(1) for the most recently used value, else O(`count`).
    @inlinable
    package mutating func value(for key: Key) -> Value? {
        guard let index = values.index(forKey: key) else { return nil }
        guard index < values.count - 1 else { return values.elements[index].value }
        let element = values.remove(at: index)
        values[element.key] = element.value
        return element.value
    }

    /// Inserts or replaces the value of a key, as the most recently used.
    @inlinable
    package mutating func insert(_ value: Value, for key: Key) {
        // A new key is the last; one that was there keeps its place.
        if values.updateValue(value, forKey: key) != nil { _ = self.value(for: key) }
    }

    /// Takes the value of a key out; nil if there is none.
    ///
    /// - Complexity: O(1) for the most recently used value, else O(`count`).
    @inlinable
    package mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key) }

    /// Makes room for one more value.
    ///
    /// - Returns: The least recently used value, which has left the cache; nil if there was room.
    /// - Complexity: O(`count`) when the cache is full.
    @inlinable
    @discardableResult
    package mutating func evict() -> Value? {
        values.count < capacity ? nil : values.removeFirst().value
    }

    /// Removes all values.
    @inlinable
    package mutating func removeAll() { values.removeAll() }
}
