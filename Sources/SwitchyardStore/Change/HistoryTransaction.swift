public import Foundation

/// A committed write in the store's history.
public struct HistoryTransaction: Sendable {
    /// The place in the history after this transaction.
    public let token: HistoryToken
    /// The transaction's own id.
    public let id: UUID
    /// When it was committed, in microseconds since 1970, as `date` says it.
    package let time: Int64
    /// The author, such as a widget; nil if the write named none.
    public let author: String?
    /// The device that wrote; nil if none was named.
    public let device: String?
    /// The identity of the store that the change comes from; nil if it was made in this one.
    public let origin: UUID?
    /// The id that the write was given to look up its outcome by.
    public let operation: OperationID?
    /// The transaction that this one has undone, if it is an undo.
    public let undone: UUID?
    /// The bytes of `fingerprint`.
    package let fingerprintBytes: Data
    /// The names of the entities whose rows were changed.
    public let entities: [String]
    /// The changed rows, each one once.
    public let changes: HistoryChanges

    package init(
        token: HistoryToken, id: UUID, time: Int64, author: String?, device: String?, origin: UUID?,
        operation: OperationID?, undone: UUID?, fingerprintBytes: Data, entities: [String],
        changes: HistoryChanges
    ) {
        self.token = token
        self.id = id
        self.time = time
        self.author = author
        self.device = device
        self.origin = origin
        self.operation = operation
        self.undone = undone
        self.fingerprintBytes = fingerprintBytes
        self.entities = entities
        self.changes = changes
    }

    /// The first 32 digits of the fingerprint of the schema that describes the changes.
    public var fingerprint: String { String(hexadecimal: fingerprintBytes) }

    /// The bytes that the history keeps of a schema's fingerprint: a half of them, which every commit writes.
    package static func fingerprint(from whole: String) -> Data { Data(hexadecimal: whole.prefix(32)) }

    /// The number of the transaction: they are numbered from 1 in the order of their commits, without a gap.
    public var sequence: Int64 { token.sequence }
    /// When it was committed, by the clock of the device that wrote it, but never before the transaction before it.
    public var date: Date { Date(timeIntervalSince1970: Double(time) / 1_000_000) }
}

/// The changes of a transaction, decoded while they are iterated over.
public struct HistoryChanges: Sendable {
    private let parts: [Data]
    /// The number of changes.
    public let count: Int

    package init(_ parts: [Data], count: Int) {
        self.parts = parts
        self.count = count
    }

    /// Calls the body with each change.
    ///
    /// - Throws: `corrupted` if the changes cannot be read; what the body throws.
    public func forEach(_ body: (HistoryChange) throws -> Void) throws {
        var left = count
        try forEachBlock { reader in
            while let change = try reader.next() {
                left -= 1
                guard left >= 0 else { throw StoreError.damagedHistory() }
                try body(change)
            }
        }
        guard left == 0 else { throw StoreError.damagedHistory() }
    }

    /// The names of the entities whose rows were changed, in the order of their first change.
    ///
    /// - Throws: `corrupted`.
    package func entities() throws -> [String] {
        var names: [String] = []
        try forEachBlock { reader in
            for entity in reader.entities where !names.contains(entity.name) { names.append(entity.name) }
        }
        return names
    }

    private func forEachBlock(_ body: (inout BlockReader) throws -> Void) throws {
        var rest = parts[...]
        while let first = rest.popFirst() {
            guard first.first == BlockPart.first.rawValue else { throw StoreError.damagedHistory() }
            let further = rest.prefix { $0.first == BlockPart.further.rawValue }
            rest = rest.dropFirst(further.count)
            var reader = try BlockReader([first] + further)
            try body(&reader)
        }
    }

    /// Returns all changes at once.
    ///
    /// - Throws: `corrupted` if they cannot be read.
    public func all() throws -> [HistoryChange] {
        var changes: [HistoryChange] = []
        changes.reserveCapacity(max(0, min(count, 1 << 20)))
        try forEach { changes.append($0) }
        return changes
    }
}

/// Which transactions of a history are wanted.
public struct TransactionFilter: Sendable, Hashable {
    /// The names of entities, at least one of them changed by a matching transaction; nil for all.
    public var entities: Set<String>?
    /// The authors; nil for all.
    public var authors: Set<String>?
    /// The first moment, by the clocks of the devices that wrote; nil for all.
    public var since: Date?

    /// Creates a filter, which matches everything that none of its parts excludes.
    public init(entities: Set<String>? = nil, authors: Set<String>? = nil, since: Date? = nil) {
        self.entities = entities
        self.authors = authors
        self.since = since
    }
}
