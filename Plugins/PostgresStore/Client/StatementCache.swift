internal import CLibPQ

/// The statements that a session has prepared on the server, the least recently used one leaving first.
struct StatementCache {
    /// What makes a prepared statement: its text and the types of its parameters.
    struct Key: Hashable {
        let sql: String
        let types: [Oid]
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var clock: UInt64 = 0

    /// Makes a cache for at least one statement.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The number of statements.
    var count: Int { entries.count }

    /// The name under which a statement is prepared; nil if it is not.
    mutating func name(for key: Key) -> String? {
        guard let index = entries.index(forKey: key) else { return nil }
        clock += 1
        entries.values[index].lastUse = clock
        return entries.values[index].name
    }

    /// A name for a statement about to be prepared: no name is used twice.
    mutating func newName() -> String {
        clock += 1
        return "switchyard_\(clock)"
    }

    /// Remembers a statement that has been prepared.
    mutating func insert(_ key: Key, name: String) {
        entries[key] = Entry(name: name, lastUse: clock)
    }

    /// Makes room for one more statement.
    ///
    /// - Returns: The name of the statement to deallocate; nil if there is room.
    /// - Complexity: O(count), when the cache is full.
    mutating func evict() -> String? {
        guard entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        else { return nil }
        entries[oldest.key] = nil
        return oldest.value.name
    }

    /// Forgets all statements.
    mutating func removeAll() { entries.removeAll() }
}
