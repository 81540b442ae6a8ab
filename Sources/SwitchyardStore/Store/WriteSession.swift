internal import Foundation
internal import Synchronization

/// What the writes of an opened store have in common: their author, and what the store must still be.
///
/// A process can have a store open for a week. Another process may have moved or migrated it in the meantime, and
/// anything written here afterwards would be lost; or it may have switched the history on, which must then have
/// everything. So each write begins with a look at the store's marker: a ``ControlCheck``.
public final class WriteSession: Sendable {
    let schema: Schema
    /// The fingerprint of the schema with which the store was opened.
    let fingerprint: String
    /// The same as the history keeps it.
    let historyFingerprint: Data
    private let role: StoreRole
    /// Whether writes do not look at the marker, because it may be wrong.
    package let isAsFound: Bool
    let author: String?
    let device: String?
    /// The checks of the entities' rows, by name, which take longer to prepare than a row to check.
    private let checks: [String: RowCheck]
    /// The era of the history when a write looked last; 0 while none is kept.
    private let lastEra: Atomic<Int64>

    /// Creates the session of a store that was opened with a schema.
    ///
    /// - Parameters:
    ///   - schema: The schema.
    ///   - options: How it was opened.
    ///   - history: The history, as the marker described it then, for a backend that tells its writes later.
    public init(schema: Schema, options: OpenOptions, history: HistorySettings? = nil) {
        lastEra = Atomic(history?.currentEra ?? 0)
        self.schema = schema
        fingerprint = schema.fingerprint
        historyFingerprint = HistoryTransaction.fingerprint(from: fingerprint)
        role = options.role
        isAsFound = options.isAsFound
        author = options.author
        device = options.device
        checks = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, RowCheck($0)) })
    }

    /// The check of the rows of an entity; nil if it is not the schema's.
    func check(of entity: Entity) -> RowCheck? {
        checks[entity.name].flatMap { $0.entity == entity ? $0 : nil }
    }

    fileprivate var era: Int64 { lastEra.load(ordering: .relaxed) }

    fileprivate func control(era: Int64) -> StoreControl {
        StoreControl(role: role.rawValue, successor: nil, fingerprint: fingerprint, era: era)
    }

    fileprivate func require(_ control: StoreControl) throws {
        guard control.role == role.rawValue else {
            throw StoreError.outOfService(control.role, successor: control.successor)
        }
        guard control.fingerprint == fingerprint else {
            throw StoreError.schemaChanged
        }
        lastEra.store(control.era, ordering: .relaxed)
    }
}

/// What a store keeps beside the JSON of its marker for every write to look at.
package struct StoreControl: Sendable, Hashable {
    package let role: String
    package let successor: String?
    package let fingerprint: String
    /// The era of the history; 0 while none is kept.
    package let era: Int64

    package init(role: String, successor: String?, fingerprint: String, era: Int64) {
        self.role = role
        self.successor = successor
        self.fingerprint = fingerprint
        self.era = era
    }
}

/// One write's look at the store's marker.
///
/// A driver that can tell the marker at once does so in `check(_:)`. One that asks for it together with the write's first
/// statement tells it then; until that moment, the write goes by what the write before it has found.
public final class ControlCheck {
    private let session: WriteSession
    private var era: Int64
    private var isEraUsed = false

    init(_ session: WriteSession) {
        self.session = session
        era = session.era
    }

    /// The schema with which the store was opened.
    var schema: Schema { session.schema }

    /// Refuses the write if the store's role or schema has changed since it was opened.
    ///
    /// - Throws: `outOfService`, naming the successor; `schemaMismatch`; `serialization` if the write has begun without
    ///   knowing that a history is kept, or not any more.
    public func require(_ marker: StoreMarker) throws {
        // The schemas are usually equal, which is cheaper to find out than their fingerprints.
        let fingerprint =
            marker.schema == session.schema ? session.fingerprint : marker.schema.fingerprint
        try require(
            StoreControl(
                role: marker.role.rawValue, successor: marker.successor, fingerprint: fingerprint,
                era: marker.recordingEra))
    }

    /// Refuses a write by the columns that a store keeps beside the JSON of its marker.
    ///
    /// - Throws: As `require(_:)`.
    package func require(_ control: StoreControl) throws {
        try session.require(control)
        guard !isEraUsed || era == control.era else {
            throw StoreError(
                .serialization, "The store's history was switched on or off. The write begins again.")
        }
        era = control.era
    }

    /// What the write goes by until it has looked.
    package var expected: StoreControl { session.control(era: era) }

    /// The era of the history that the write must be part of; 0 if none is kept.
    func useEra() -> Int64 {
        isEraUsed = true
        return era
    }
}

@available(*, unavailable)
extension ControlCheck: Sendable {}
