internal import Switchyard
public import SwitchyardCore

/// A plausible mistake of a backend, made on purpose: a suite that does not notice it cannot vouch for a
/// backend.
///
/// ```swift
/// // Do my own tests notice a backend that loses the last row of a batch?
/// let harness = FaultyHarness(MyHarness(), fault: Fault.named("batch-64-last"))
/// ```
///
/// `FaultRun` makes all of them, one at a time.
public struct Fault: Sendable, CustomStringConvertible {
    /// A short name: words in lower case, joined by hyphens.
    public let name: String
    /// What a backend with this mistake does, in a sentence.
    public let summary: String
    /// The capability without which the mistake does not show.
    public let needs: StoreCapability?
    let hooks: FaultHooks
    /// The letter of the contract's chapter that the fault concerns: its requirements are tried first.
    package private(set) var chapter = ""

    init(_ name: String, _ summary: String, needs: StoreCapability? = nil, _ hooks: FaultHooks) {
        self.name = name
        self.summary = summary
        self.needs = needs
        self.hooks = hooks
    }

    /// The name and the summary.
    public var description: String { "\(name): \(summary)" }

    /// All faults, grouped by kind.
    public static var all: [Fault] {
        let chapters = [
            "V": values + damage, "Q": order + conditions + text + calculations + figures + queries,
            "T": batches + writes + uniqueness + references + transactions + errors,
            "S": openings + migration + scopes,
            "H": history,
        ]
        return ["V", "Q", "T", "S", "H"].flatMap { letter in
            (chapters[letter] ?? []).map { fault in
                var fault = fault
                fault.chapter = letter
                return fault
            }
        }
    }

    /// The fault with this name; nil for an unknown name.
    public static func named(_ name: String) -> Fault? { all.first { $0.name == name } }

    /// No fault: the wrapper itself changes nothing.
    package static let none = Fault("none", "The backend is unchanged.", FaultHooks())
}

/// The operations that a fault replaces; those that are nil are left to the backend.
///
/// Closures receive the active `FaultyDriver`, whose `base` is the backend's own driver.
struct FaultHooks: Sendable {
    /// The schema passed to the backend instead of the declared one.
    var schema: (@Sendable (Schema) throws -> Schema)?
    /// The value stored in place of another.
    var value: (@Sendable (StoredValue, Attribute) -> StoredValue)?
    /// The rows stored in place of those of one insert, in the layout that drivers receive.
    var rows: (@Sendable ([[StoredValue]], Entity) -> [[StoredValue]])?
    /// Replaces an insert; returns the number of rows.
    var insert: (@Sendable (FaultyDriver, Entity, ConflictResolution, [[StoredValue]]) throws -> Int)?
    /// Replaces the selection of which rows are made; without it, they are read and inserted.
    var insertion: (@Sendable (Selection) -> Selection)?
    /// Replaces an update.
    var update: (@Sendable (FaultyDriver, Entity, [Assignment], Condition) throws -> Int)?
    /// Replaces a delete.
    var delete: (@Sendable (FaultyDriver, Entity, Condition) throws -> Int)?
    /// Alters the report of the rows that an update or a delete changes.
    var report: (@Sendable (ChangeReport) -> ChangeReport)?
    /// Replaces a condition or a part of one.
    var condition: (@Sendable (Condition, Entity, FaultyDriver) throws -> Condition)?
    /// Replaces a selection.
    var selection: (@Sendable (Selection) -> Selection)?
    /// Replaces the answer to a selection; nil leaves the backend's answer unchanged.
    var select: (@Sendable (FaultyDriver, Selection) throws -> [[StoredValue]]?)?
    /// Explains selections in place of the backend.
    var explain: (@Sendable (Selection) -> (statement: String, steps: [String], indexes: [String]))?
    /// Replaces a cell that is read.
    var cell: (@Sendable (Cell, Attribute) -> Cell)?
    /// Replaces rolling back to a savepoint.
    var rollback: (@Sendable (FaultyDriver, Int) throws -> Void)?
    /// Replaces releasing a savepoint.
    var release: (@Sendable (FaultyDriver, Int) throws -> Void)?
    /// Replaces an error.
    var error: (@Sendable (StoreError, Schema) -> StoreError)?
    /// The changes of tables in place of those of a migration.
    var changes: (@Sendable ([TableChange]) -> [TableChange])?
    /// Replaces the backend's list of what the tables have beyond their schema, before a migration.
    var unknownParts: (@Sendable ([SchemaStep], [UnknownPart]) -> [UnknownPart])?
    /// Whether the rows of new tables are written.
    var fillsTables = true
    /// A fault in whole transactions.
    var transactions = TransactionFault.none
    /// A fault in the store as a whole.
    var opening = OpeningFault.none
    /// A fault in scopes.
    var scopes = ScopeFault.none
    /// A fault in the tables of the history.
    var history = HistoryFault.none
}
