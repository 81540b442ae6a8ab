internal import Switchyard
public import SwitchyardCore

/// One plausible mistake of a backend, to be made on purpose: a suite that does not notice it cannot vouch
/// for a backend.
///
/// ```swift
/// // Do my own tests notice a backend that loses the last row of a batch?
/// let harness = FaultyHarness(MyHarness(), fault: Fault.named("batch-64-last"))
/// ```
///
/// `FaultRun` makes them all, one at a time.
public struct Fault: Sendable, CustomStringConvertible {
    /// A short name: words in lower case, joined by hyphens.
    public let name: String
    /// What a backend with this mistake does, in a sentence.
    public let summary: String
    /// The capability without which the mistake cannot show.
    public let needs: StoreCapability?
    let hooks: FaultHooks
    /// The letter of the contract's chapter that the fault is about: its requirements are tried first.
    private(set) var chapter = ""

    init(_ name: String, _ summary: String, needs: StoreCapability? = nil, _ hooks: FaultHooks) {
        self.name = name
        self.summary = summary
        self.needs = needs
        self.hooks = hooks
    }

    /// The name and the sentence.
    public var description: String { "\(name): \(summary)" }

    /// All faults, those of one kind together.
    public static var all: [Fault] {
        let chapters = [
            "V": values + damage, "Q": order + conditions + text + calculations + figures,
            "T": batches + writes + uniqueness + references + transactions + errors, "S": openings + scopes,
        ]
        return ["V", "Q", "T", "S"].flatMap { letter in
            (chapters[letter] ?? []).map { fault in
                var fault = fault
                fault.chapter = letter
                return fault
            }
        }
    }

    /// The fault of a name; nil if there is none.
    public static func named(_ name: String) -> Fault? { all.first { $0.name == name } }

    /// No fault: what is built around a store changes nothing by itself.
    static let none = Fault("none", "The backend is as it is.", FaultHooks())
}

/// Where a fault takes hold; what is nil is done by the backend alone.
///
/// Closures get the `FaultyDriver` at work, whose `base` is the backend's own driver.
struct FaultHooks: Sendable {
    /// The schema that the backend is given instead of the declared one.
    var schema: (@Sendable (Schema) throws -> Schema)?
    /// What is stored for a value.
    var value: (@Sendable (StoredValue, Attribute) -> StoredValue)?
    /// The rows that are stored for those of one insert, in the layout in which drivers get them.
    var rows: (@Sendable ([[StoredValue]], Entity) -> [[StoredValue]])?
    /// What is done in place of an insert; returns the number of rows.
    var insert: (@Sendable (FaultyDriver, Entity, ConflictResolution, [[StoredValue]]) throws -> Int)?
    /// What is done in place of an update.
    var update: (@Sendable (FaultyDriver, Entity, [Assignment], Condition) throws -> Int)?
    /// What is done in place of a delete.
    var delete: (@Sendable (FaultyDriver, Entity, Condition) throws -> Int)?
    /// What is told to who asks which rows an update or a delete changes.
    var report: (@Sendable (ChangeReport) -> ChangeReport)?
    /// What is asked instead of a condition or of a part of one.
    var condition: (@Sendable (Condition, Entity, FaultyDriver) throws -> Condition)?
    /// What is asked instead of a selection.
    var selection: (@Sendable (Selection) -> Selection)?
    /// What is answered to a selection; nil where the backend's answer is left alone.
    var select: (@Sendable (FaultyDriver, Selection) throws -> [[StoredValue]]?)?
    /// What is read in place of a cell.
    var cell: (@Sendable (Cell, Attribute) -> Cell)?
    /// What is done in place of undoing to a savepoint.
    var rollback: (@Sendable (FaultyDriver, Int) throws -> Void)?
    /// What is done in place of releasing a savepoint.
    var release: (@Sendable (FaultyDriver, Int) throws -> Void)?
    /// What is thrown instead of an error.
    var error: (@Sendable (StoreError, Schema) -> StoreError)?
    /// What goes wrong with whole transactions.
    var transactions = TransactionFault.none
    /// What goes wrong with the store as a whole.
    var opening = OpeningFault.none
    /// What goes wrong with scopes.
    var scopes = ScopeFault.none
}
