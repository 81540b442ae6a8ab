package import OrderedCollections

/// A dictionary of bounded size that evicts its least recently used value.
///
/// It is inlinable because prepared statements are looked up in it for every query.
package struct LRUCache<Key: Hashable, Value> {
    /// In order of use, the least recently used first.
    @usableFromInline var values: OrderedDictionary<Key, Value> = [:]
    @usableFromInline let capacity: Int

    /// Creates a cache for at least one value.
    @inlinable
    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The number of values.
    @inlinable package var count: Int { values.count }

    /// Returns the value of a key, and makes it the most recently used; nil if there is none.
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
        // A new key becomes the last; an existing one keeps its position.
        if values.updateValue(value, forKey: key) != nil { _ = self.value(for: key) }
    }

    /// Removes and returns the value of a key; nil if there is none.
    ///
    /// - Complexity: O(1) for the most recently used value, else O(`count`).
    @inlinable
    package mutating func remove(_ key: Key) -> Value? { values.removeValue(forKey: key) }

    /// Makes room for one more value.
    ///
    /// - Returns: The evicted value; nil if there was room.
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
