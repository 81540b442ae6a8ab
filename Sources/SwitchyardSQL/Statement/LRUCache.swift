/// A dictionary of bounded size that evicts its least recently used value.
///
/// For the prepared statements of a connection, with a `StatementText` in the key. A look-up only records its
/// time, since look-ups happen several times in each transaction, and evictions seldom.
public struct LRUCache<Key: Hashable, Value> {
    @usableFromInline struct Entry {
        @usableFromInline let value: Value
        @usableFromInline var lastUse: UInt64

        @inlinable
        init(value: Value, lastUse: UInt64) {
            self.value = value
            self.lastUse = lastUse
        }
    }

    @usableFromInline var entries: [Key: Entry] = [:]
    @usableFromInline let capacity: Int
    @usableFromInline var uses: UInt64 = 0

    /// Creates a cache for at least one value.
    @inlinable
    public init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The number of values.
    @inlinable public var count: Int { entries.count }

    /// Returns the value of a key, if any, and makes it the most recently used.
    @inlinable
    public mutating func value(for key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].value
    }

    /// Inserts or replaces the value of a key, as the most recently used.
    @inlinable
    public mutating func insert(_ value: Value, for key: Key) {
        uses += 1
        entries[key] = Entry(value: value, lastUse: uses)
    }

    /// Removes and returns the value of a key, if any.
    @inlinable
    public mutating func remove(_ key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

    /// Makes room for one more value.
    ///
    /// - Returns: The evicted value; nil if there was room.
    /// - Complexity: O(`count`) when the cache is full.
    @inlinable
    @discardableResult
    public mutating func evict() -> Value? {
        guard entries.count >= capacity else { return nil }
        return entries.min { $0.value.lastUse < $1.value.lastUse }.flatMap { remove($0.key) }
    }

    /// Removes all values.
    @inlinable
    public mutating func removeAll() { entries.removeAll() }
}
