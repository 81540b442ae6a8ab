internal import SwitchyardCore
internal import SwitchyardSQL

/// What a session has told the server of its transactions, which decides what may be sent next.
///
/// Every statement passes `Session.enter`, which leaves the session `idle`, `pending` or `open`, or throws. A step that the
/// state does not allow is refused with an error, and nothing is sent.
enum SessionState {
    /// The server is in no transaction: a statement commits by itself.
    case idle
    /// A transaction has begun that the server does not know: its BEGIN is sent in one round trip with the first statement.
    ///
    /// If the server is still in the read before, the ROLLBACK of that read precedes the BEGIN.
    case pending(Transaction, endsRead: Bool)
    /// The server is in the transaction: statements, the COMMIT or the ROLLBACK may follow.
    case open(Transaction)
    /// A read has ended, and the server does not know: the ROLLBACK may follow, alone or before the next BEGIN.
    ///
    /// Nothing depends on the answer to that ROLLBACK. Reads of one row by 16 tasks take a quarter less time than with a round
    /// trip for it.
    case readEnded
    /// A ROLLBACK was sent: its answer must be read before anything else is sent.
    case rollingBack(since: ContinuousClock.Instant)
    /// The connection is lost, or its next answer is unknown: nothing may be sent.
    ///
    /// `atBegin` says that the server did not know of the transaction, which can then be run on another connection.
    case broken(atBegin: Bool)
}

/// The transaction of a session, until it is committed or rolled back.
final class Transaction {
    /// What the server has refused, after which the transaction can be run again in another way.
    enum Refusal {
        /// An insert that had waited: without waiting, the error comes where it belongs.
        case insert
        /// The LOCK statement: the transaction can do without.
        case lock
    }

    /// The isolation and the access.
    private(set) var begin: Begin
    /// On whose behalf the transaction reads and writes; nil for nobody's.
    let identity: ScopeIdentity?
    /// Whether the tables are on several machines of a Citus cluster.
    let isDistributed: Bool
    /// Whether inserted rows may wait for the next statement.
    let holdsInserts: Bool
    /// The query that travels with the BEGIN, until it has been answered.
    var firstQuery: FirstQuery?
    /// The inserts that travel with the next statement, or with the COMMIT.
    var heldInserts: [HeldInsert] = []
    var refusal: Refusal?
    private let givenLock: String?

    init(
        _ begin: Begin, identity: ScopeIdentity?, lock: String?, isDistributed: Bool, holdsInserts: Bool
    ) {
        self.begin = begin
        self.identity = identity
        givenLock = lock
        self.isDistributed = isDistributed
        self.holdsInserts = holdsInserts
    }

    /// Whether the transaction waits for other writers before its first query.
    var isQueued: Bool { if case .queued = begin { true } else { false } }

    /// Whether the transaction can be run without its lock, if the server refuses it.
    var mayGoUnlocked: Bool { if case .exclusive = begin { false } else { true } }

    /// The LOCK statement that precedes the transaction's snapshot.
    ///
    /// The first transaction in a queue must not wait for one behind it that has locked a table.
    var lock: String? { isQueued ? nil : givenLock }

    /// Puts a write behind a statement that waits for other writers; other transactions stay as they are.
    func enqueue(behind queue: SQLStatement) {
        if case .serializable = begin { begin = .queued(queue) }
    }
}

/// The isolation and the access of a transaction.
enum Begin: Sendable {
    /// A serializable write.
    case serializable
    /// A write behind a statement that waits until it has its rows to itself.
    ///
    /// It is as good as serializable, because every other write of these rows waits as well. It must not be serializable
    /// to the server: that would take its snapshot before the wait, and refuse all that was written meanwhile.
    case queued(SQLStatement)
    /// A serializable write that begins with a lock that it cannot do without.
    case exclusive
    /// A read of one snapshot.
    case snapshot

    /// The BEGIN statement.
    ///
    /// It names the isolation, because a pooler's session may have another default. A write does not say `READ WRITE`, which
    /// would override `default_transaction_read_only`: with that, an operator freezes a database or a role.
    var sql: String {
        switch self {
        case .serializable, .exclusive: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        case .queued: "BEGIN ISOLATION LEVEL READ COMMITTED"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
    }
}

/// A query without parameters that returns one row, sent together with the BEGIN of a transaction.
struct FirstQuery {
    let sql: String
    let types: [WireType]
    /// Returns a statement that fails where `body` might throw.
    ///
    /// It takes the query's place if the COMMIT travels with it.
    let requirement: () -> SQLStatement
    /// Receives the row.
    let body: (UnsafeBufferPointer<Cell>) throws -> Void

    func take(_ result: borrowing QueryResult) throws {
        guard result.rowCount == 1 else { throw StoreMarker.missing() }
        try result.forEachRow(types: types, body)
    }
}

/// An insert whose rows have not been sent.
///
/// What an insert answers is known beforehand, unless it is refused. So its rows wait for the next statement or for the
/// COMMIT, and a write of one row takes one round trip instead of two. If the server refuses a row, the error would come too
/// late: the transaction is run again, and then each insert is sent at once.
final class HeldInsert {
    /// The number of rows and of bytes that wait at most.
    static let limit = (rows: 64, bytes: 1 << 20)

    let sql: String
    let rows: WireBatch

    init(_ sql: String, _ rows: consuming WireBatch) {
        self.sql = sql
        self.rows = rows
    }
}

/// What a session needs before its next use.
struct Upkeep: OptionSet {
    let rawValue: UInt8

    /// Its prepared statements no longer fit the schema.
    static let statements = Upkeep(rawValue: 1)
    /// A script may have changed its settings.
    static let settings = Upkeep(rawValue: 2)
    /// It takes no writes by its default, which a new session may not have any more.
    static let replacement = Upkeep(rawValue: 4)
}
