/// What a transaction does to a store beside its rows: the marker, the log of operations and changes of the schema.
///
/// A driver that conforms to both protocols is its own `TransactionDriver.maintenance`. Five requirements have no default:
/// the marker's and the log's.
public protocol StoreMaintenance: AnyObject {
    /// Returns the store's marker, as this transaction sees it.
    ///
    /// - Throws: `corrupted` if the marker is missing or cannot be read.
    func marker() throws -> StoreMarker

    /// Replaces the store's marker.
    func setMarker(_ marker: StoreMarker) throws

    /// Refuses the write if the store's marker no longer permits it. It is called before anything else in each write.
    ///
    /// A driver that would need a round trip for this may check together with the next operation, which then throws.
    /// The default implementation uses `marker`.
    ///
    /// - Throws: What `ControlCheck.require` throws.
    func check(_ control: ControlCheck) throws

    /// Records the id of this write, so that `Store.wasCommitted` finds it, and deletes ids older than
    /// `OperationID.retention`. Where the only clock is the device's, which can be wrong, the last
    /// `OperationID.leastKept` ids are kept whatever their age.
    ///
    /// - Throws: `duplicateOperation` if the id already exists.
    func record(_ operation: OperationID) throws

    /// The ids that are recorded, in ascending order.
    ///
    /// - Parameters:
    ///   - last: Only ids that are greater; nil to begin with the first.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, with the times of the commits.
    /// - Throws: As a selection.
    func operations(after last: OperationID?, limit: Int) throws -> [CommittedOperation]

    /// Records the ids of writes to another store that this one takes over from. An id that is recorded already is
    /// skipped.
    func adopt(_ operations: [CommittedOperation]) throws

    /// The scopes that the store holds anything in (rows, a history, ids of writes), in ascending order.
    ///
    /// They include scopes that the transaction does not see.
    ///
    /// The default implementation returns none, for a backend that has no scopes.
    ///
    /// - Parameters:
    ///   - last: Only scopes that are greater; nil to begin with the first.
    ///   - limit: The maximum number of scopes.
    /// - Returns: The scopes; none in a store without scopes.
    /// - Throws: As a selection.
    func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope]

    /// The ends of the histories of some scopes, which the transaction need not see.
    ///
    /// The default implementation goes through all scopes, which suits a backend with few.
    ///
    /// - Parameter scopes: The scopes.
    /// - Returns: At most one entry for each, without a last one if its history is empty or hidden from the transaction. Scopes
    ///   that the store does not know may be missing.
    /// - Throws: As a selection.
    func heads(of scopes: Set<StoreScope>) throws -> [HeldScope]

    /// Adds the indexes and foreign keys that a store lacks which was made in the role `copying`, so that rows can be
    /// copied into it in any order and quickly.
    ///
    /// The default implementation does nothing, for a backend that has none, or has them from the beginning.
    ///
    /// - Throws: `unique` or `foreignKey` if the rows violate one.
    func addConstraints() throws

    /// Removes what `addConstraints` adds, from a copy that was given up and is begun again.
    ///
    /// The default implementation does nothing.
    func removeConstraints() throws

    /// Copies the whole store, as it was before this write, to a place beside it: the first step of a migration.
    ///
    /// The default implementation copies nothing, for a backend whose stores are backed up by other means.
    ///
    /// - Parameter name: What distinguishes the copy, such as `1.0.0`. One of the same name is replaced.
    /// - Returns: The place of the copy; nil if no copy was made.
    /// - Throws: `full`, `readOnly`, `inputOutput`.
    func backUp(as name: String) throws -> String?

    /// Makes the store's tables those of another schema, with their indexes and foreign keys, and carries the rows over.
    ///
    /// It is called in a write of a store that was opened with `OpenOptions.changesSchema`, which does nothing else to rows,
    /// and which has set the marker. The rows are those of all scopes.
    ///
    /// A row must fit the indexes that its table gets: see `TransactionDriver.requireFit(_:)`. Attributes that become
    /// searchable get their folded copies: see `TransactionDriver.fold(_:)`.
    ///
    /// The default implementation refuses, for a backend that cannot change tables.
    ///
    /// - Parameters:
    ///   - changes: What becomes of each table; the others stay as they are.
    ///   - schema: The new schema.
    ///   - fill: Writes the rows of the tables that are new, in each scope; nil if they stay empty. It reads the tables as
    ///     they were by one driver, and writes those of `Schema.whileFilling(_:)` by another, whose rows are checked
    ///     against unique constraints and references when it has ended.
    /// - Throws: `unique`, `notNull`, `check`, `foreignKey` or `valueNotRepresentable` if the rows do not fit it;
    ///   `unsupported`; what `fill` throws.
    func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws
}

extension TransactionDriver where Self: StoreMaintenance {
    /// The driver itself.
    public var maintenance: any StoreMaintenance { self }
}

extension StoreMaintenance {
    /// Reads and checks the whole marker.
    public func check(_ control: ControlCheck) throws { try control.require(try marker()) }

    /// None: the rows are not divided into scopes.
    public func scopes(after last: StoreScope?, limit: Int) throws -> [HeldScope] { [] }

    /// Goes through all scopes.
    public func heads(of scopes: Set<StoreScope>) throws -> [HeldScope] { try allHeads(of: scopes) }

    /// Goes through all scopes.
    package func allHeads(of scopes: Set<StoreScope>) throws -> [HeldScope] {
        let pageSize = 5_000
        var (heads, last): ([HeldScope], StoreScope?) = ([], nil)
        while true {
            let some = try self.scopes(after: last, limit: pageSize)
            heads += some.filter { scopes.contains($0.scope) }
            last = some.last?.scope
            if some.count < pageSize { return heads }
        }
    }

    /// Does nothing.
    public func addConstraints() throws {}

    /// Does nothing.
    public func removeConstraints() throws {}

    /// Copies nothing.
    public func backUp(as name: String) throws -> String? { nil }

    /// Refuses.
    ///
    /// - Throws: `unsupported`.
    public func change(_ changes: [TableChange], to schema: Schema, filling fill: TableFilling?) throws {
        throw StoreError(
            .unsupported,
            "The backend cannot change the schema of a store. Copy the rows into a new store; nothing was changed."
        )
    }
}

/// Writes the rows of new tables while a store goes from one schema to another.
public typealias TableFilling = (_ old: any TransactionDriver, _ new: any TransactionDriver) throws -> Void
