public import Foundation

/// An error of a store, in one vocabulary for every backend.
///
/// `description` says what went wrong and what to do, and never contains a stored value or a secret. Values that help
/// with debugging appear only in `debugDescription`.
public struct StoreError: Error, Sendable {
    /// The kind of failure: the part to switch on.
    public let code: Code
    /// What happened and what to do about it, without stored values.
    public let message: String
    /// The entity concerned, if one is known.
    public var entity: String?
    /// The attribute concerned, if one is known.
    public var attribute: String?
    /// The constraint that a write violated, if any.
    public var constraint: String?
    /// Values and backend messages that may contain user data; only `debugDescription` shows them.
    public var detail: String?
    /// With code `outcomeUnknown`, the operation id to look up the outcome of the commit by; with code
    /// `duplicateOperation`, the id that was used twice.
    public var operation: OperationID?
    /// With code `outOfService`, the location of the store that has replaced this one, if any.
    public var successor: String?
    /// With code `undoConflict`, the id of the later transaction that is in the way, if it is known.
    public var transaction: UUID?
    /// The driver's own error, if any.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, entity: String? = nil, attribute: String? = nil,
        constraint: String? = nil, detail: String? = nil, operation: OperationID? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.entity = entity
        self.attribute = attribute
        self.constraint = constraint
        self.detail = detail
        self.operation = operation
        self.underlying = underlying
    }

    /// Whether the same transaction may succeed when it is retried: at once or, with `suspended`, once the store is
    /// resumed.
    public var isRetryable: Bool { isTransient || code == .suspended }

    /// Whether a retry may succeed within moments, so that the store retries by itself.
    package var isTransient: Bool { code == .serialization || code == .busy }
}

extension StoreError {
    /// The kind of a failure.
    ///
    /// New kinds can come, so a `switch` over them needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's stable name, as JSON output and logs show it.
        public let description: String

        private init(_ name: String) { description = name }

        /// Two rows have the same value of a unique constraint.
        public static let unique = Code("unique")
        /// Another write was already committed under the same operation id.
        public static let duplicateOperation = Code("duplicateOperation")
        /// A reference points to a row that does not exist, or a `deny` rule refused a delete.
        public static let foreignKey = Code("foreignKey")
        /// A required attribute had no value.
        public static let notNull = Code("notNull")
        /// A value is outside what its attribute allows.
        public static let check = Code("check")
        /// The transaction conflicted with a concurrent one; a retry may succeed.
        public static let serialization = Code("serialization")
        /// The store was locked by another connection or process for too long.
        public static let busy = Code("busy")
        /// A statement ran longer than the store's settings allow; the transaction was rolled back.
        public static let timedOut = Code("timedOut")
        /// A read returned more rows, or took longer, than its `ReadBudget` allows.
        public static let budgetExceeded = Code("budgetExceeded")
        /// The store takes no locks because its app is about to be suspended; retry once it is resumed.
        public static let suspended = Code("suspended")
        /// The store's files were deleted, moved or replaced while it was open; close it and open it again.
        public static let replaced = Code("replaced")
        /// The store was superseded or retired, and can only be read.
        public static let outOfService = Code("outOfService")
        /// The store is a copy that is not complete, and cannot be opened yet.
        public static let incompleteCopy = Code("incompleteCopy")
        /// A migration of the store has not ended; opening it with its migration plan goes on with it.
        public static let migrationUnfinished = Code("migrationUnfinished")
        /// Another process carries out the same switch or migration, or has ended it or given it up.
        public static let carriedOutElsewhere = Code("carriedOutElsewhere")
        /// There is a store, or the backup of one, in the place that was given for a new one.
        public static let placeTaken = Code("placeTaken")
        /// Two stores with the same identity are in use, or the store in a place is not the one that should be there.
        public static let identityConflict = Code("identityConflict")
        /// No scope was given for a store with scopes, or a scope was given for a store without.
        public static let scopeMismatch = Code("scopeMismatch")
        /// The row to update does not exist, or the store to open does not and was not to be created.
        public static let notFound = Code("notFound")
        /// Two stores that should hold the same rows do not.
        public static let verification = Code("verification")
        /// The store's schema is not the one the app declares.
        public static let schemaMismatch = Code("schemaMismatch")
        /// The store was written by a newer version of the app.
        public static let schemaTooNew = Code("schemaTooNew")
        /// The declared schema contradicts itself.
        public static let schemaInvalid = Code("schemaInvalid")
        /// The query or operation cannot be expressed on every backend.
        public static let unsupported = Code("unsupported")
        /// A value cannot be stored exactly on every backend.
        public static let valueNotRepresentable = Code("valueNotRepresentable")
        /// A configuration key or value is wrong or missing.
        public static let configuration = Code("configuration")
        /// The server cannot be reached, or the connection was lost before the commit was sent.
        public static let connectionLost = Code("connectionLost")
        /// The server refused the user, the password or the token.
        public static let authentication = Code("authentication")
        /// The membership of the household has ended, or the device was removed from it.
        public static let revoked = Code("revoked")
        /// The member's role in the household does not permit this.
        public static let notPermitted = Code("notPermitted")
        /// The connection was lost during the commit, which may or may not have happened.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// The task was cancelled; its transaction was not carried out.
        public static let cancelled = Code("cancelled")
        /// The store contains something that its schema does not allow.
        public static let corrupted = Code("corrupted")
        /// A transaction cannot be undone, because something that came later is in the way.
        public static let undoConflict = Code("undoConflict")
        /// A transaction cannot be undone, because the history does not keep the earlier value of an attribute.
        public static let earlierValueNotKept = Code("earlierValueNotKept")
        /// A token of the history was taken from another store or scope.
        public static let historyForeign = Code("historyForeign")
        /// Transactions after a token of the history are not kept any more.
        public static let historyPruned = Code("historyPruned")
        /// The store does not have the transaction that a token of the history was taken after: it was restored from a
        /// backup.
        public static let historyAhead = Code("historyAhead")
        /// The file or database is not a Switchyard store.
        public static let notAStore = Code("notAStore")
        /// The store can be read but not written.
        public static let readOnly = Code("readOnly")
        /// The disk or the server's storage is full.
        public static let full = Code("full")
        /// A file could not be read or written.
        public static let inputOutput = Code("inputOutput")
        /// An earlier error has ended the transaction; no further operation is possible in it.
        public static let transactionAborted = Code("transactionAborted")
        /// A transaction was used after its body returned, or a store after it was closed.
        public static let closed = Code("closed")
        /// A sum, or a calculation of an update, left the range of its numbers or divided by zero; or a calculation
        /// with doubles in a condition left the range of doubles.
        public static let arithmetic = Code("arithmetic")
        /// A query or argument makes no sense, such as a negative limit.
        public static let invalidArgument = Code("invalidArgument")
        /// The backend failed in a way that has no code of its own.
        public static let backend = Code("backend")
    }
}

/// Errors that all backends share.
extension StoreError {
    /// The error of a transaction whose task was cancelled.
    public static var taskCancelled: StoreError {
        StoreError(.cancelled, "The task was cancelled; its transaction was not carried out.")
    }

    /// The error of a write whose operation id belongs to a committed write.
    public static func operationCommitted(_ operation: OperationID) -> StoreError {
        StoreError(
            .duplicateOperation,
            "A write with this operation id was committed before, so this one was not. If it is the same write, "
                + "there is nothing left to do; if it is another one, give it an id of its own.",
            operation: operation)
    }

    /// The error of a store that was closed.
    public static var storeClosed: StoreError {
        StoreError(.closed, "The store is closed; open it again to use it.")
    }

    /// The error of naming a scope in a store whose rows are not divided into scopes.
    public static var scopesUnknown: StoreError {
        StoreError(
            .scopeMismatch,
            "A scope was given, but the store's rows are not divided into scopes. Leave the scope out, or use a store "
                + "that was created with one. Nothing was changed.")
    }

    /// The error of opening a store whose rows are divided into scopes without naming one.
    package static var scopeMissing: StoreError {
        StoreError(
            .scopeMismatch,
            "The store's rows are divided into scopes, but none was given. Open it with the scope whose rows you want. "
                + "Nothing was changed.")
    }

    /// The error of a store whose role is not the one in which it was opened.
    package static func outOfService(_ role: String, successor: String?) -> StoreError {
        let reason =
            switch StoreRole(rawValue: role) {
            case .superseded: "The store has been superseded" + (successor.map { " by \($0)" } ?? "")
            case .retired: "The store has been taken out of service"
            case .copying: "The store is an incomplete copy"
            case .migrating: "A migration of the store has not ended"
            case .active: "The store is active, but was opened in another role"
            case nil: "The store has the role \(role), which this version of Switchyard does not know"
            }
        let advice =
            switch StoreRole(rawValue: role) {
            case .superseded: "Open its successor."
            case .copying: "Finish the copy, or open the store that it is copied from."
            case .migrating: "Open it for writing by its migration plan, which goes on with it."
            case .active: "Open it again as the active store."
            case .retired, nil: "Open another store, or change its role back."
            }
        let code: Code =
            switch StoreRole(rawValue: role) {
            case .superseded, .retired, nil: .outOfService
            case .copying: .incompleteCopy
            case .migrating: .migrationUnfinished
            case .active: .carriedOutElsewhere
            }
        var error = StoreError(code, "\(reason). \(advice) Nothing was changed.")
        error.successor = successor
        return error
    }

    /// The error of a write in a store that was opened read-only.
    public static var openedReadOnly: StoreError {
        StoreError(.readOnly, "The store was opened for reading only; open it for writing.")
    }
}

extension StoreError.Code {
    /// Whether the store is not the one to use, or not now: what it does not do may be done elsewhere, or later.
    package var refusesService: Bool {
        [
            .outOfService, .incompleteCopy, .migrationUnfinished, .carriedOutElsewhere, .placeTaken,
            .identityConflict,
        ].contains(self)
    }
}

extension StoreError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code, the message and where the error occurred, without stored values.
    public var description: String {
        var text = message
        let place = [entity, attribute].compactMap(\.self).joined(separator: ".")
        if !place.isEmpty { text += " [\(place)]" }
        if let constraint { text += " [constraint \(constraint)]" }
        return "\(code): \(text)"
    }

    /// The description, together with the details that may contain stored values.
    public var debugDescription: String {
        var text = description
        if let detail { text += " — \(detail)" }
        if let underlying { text += " — caused by: \(String(reflecting: underlying))" }
        return text
    }
}
