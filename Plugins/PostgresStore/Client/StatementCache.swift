internal import CLibPQ
internal import SwitchyardSQL

/// The names of the statements that a session has prepared on the server.
struct StatementCache {
    /// The identity of a prepared statement: its text and the types of its parameters.
    struct Key: Hashable {
        private let text: StatementText
        let types: [Oid]

        var sql: String { text.text }

        init(sql: String, types: [Oid]) { (text, self.types) = (StatementText(sql), types) }
    }

    private var names: LRUCache<Key, String>
    /// The commands that begin and end transactions: there are few of them, and they are never evicted.
    private var commands: [StatementText: String] = [:]
    private var lastNumber: UInt64 = 0

    /// Creates a cache for at least one statement.
    init(capacity: Int) { names = LRUCache(capacity: capacity) }

    /// The number of statements.
    var count: Int { names.count }

    /// The name of a prepared statement; nil if it is not prepared.
    mutating func name(for key: Key) -> String? { names.value(for: key) }

    /// Returns a name for a new prepared statement; no name is used twice.
    mutating func newName() -> String {
        lastNumber += 1
        return "switchyard_\(lastNumber)"
    }

    /// Adds a prepared statement.
    mutating func insert(_ key: Key, name: String) { names.insert(name, for: key) }

    /// The name of a prepared command that every transaction needs; nil if it is not prepared.
    func commandName(of sql: String) -> String? { commands[StatementText(sql)] }

    /// Adds a prepared command.
    mutating func insertCommand(_ sql: String, name: String) { commands[StatementText(sql)] = name }

    /// Makes room for one more statement.
    ///
    /// - Returns: The name of the statement to deallocate; nil if there is room.
    mutating func evict() -> String? { names.evict() }

    mutating func removeAll() {
        names.removeAll()
        commands.removeAll()
    }
}
