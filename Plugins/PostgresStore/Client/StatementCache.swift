internal import CLibPQ
internal import SwitchyardSQL

/// The names of the statements that a session has prepared on the server.
struct StatementCache {
    /// What makes a prepared statement: its text and the types of its parameters.
    struct Key: Hashable {
        let sql: String
        let types: [Oid]
    }

    private var names: LRUCache<Key, String>
    /// The commands that begin and end transactions: few, and never the ones that make room for others.
    private var commands: [String: String] = [:]
    private var lastNumber: UInt64 = 0

    /// Makes a cache for at least one statement.
    init(capacity: Int) { names = LRUCache(capacity: capacity) }

    /// The number of statements.
    var count: Int { names.count }

    /// The name under which a statement is prepared; nil if it is not.
    mutating func name(for key: Key) -> String? { names.value(for: key) }

    /// A name for a statement about to be prepared: no name is used twice.
    mutating func newName() -> String {
        lastNumber += 1
        return "switchyard_\(lastNumber)"
    }

    /// Remembers a statement that has been prepared.
    mutating func insert(_ key: Key, name: String) { names.insert(name, for: key) }

    /// The name under which a command is prepared that each transaction needs; nil if it is not.
    func commandName(of sql: String) -> String? { commands[sql] }

    /// Remembers a command that has been prepared.
    mutating func insertCommand(_ sql: String, name: String) { commands[sql] = name }

    /// Makes room for one more statement.
    ///
    /// - Returns: The name of the statement to deallocate; nil if there is room.
    mutating func evict() -> String? { names.evict() }

    /// Forgets all statements.
    mutating func removeAll() {
        names.removeAll()
        commands.removeAll()
    }
}
