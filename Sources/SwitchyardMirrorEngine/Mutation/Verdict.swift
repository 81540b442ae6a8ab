package import Foundation
package import SwitchyardCore

/// The server's decision on a mutation.
package struct Verdict: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, Codable {
        /// Everything was carried out as it was sent.
        case accepted
        /// It was carried out, but some values differ from what was sent.
        case merged
        /// Nothing was carried out.
        case rejected
    }

    /// The mutation.
    package let id: UUID
    package let kind: Kind
    /// Why it was rejected; nil otherwise.
    package let reason: Rejection?

    package init(id: UUID, kind: Kind, reason: Rejection? = nil) {
        self.id = id
        self.kind = kind
        self.reason = reason
    }
}

/// Why a server rejects a mutation.
package struct Rejection: Error, Sendable, Hashable, Codable {
    package typealias Code = RejectionReason

    package let code: Code
    /// The entity that is concerned.
    package let entity: String
    /// The attribute, if one is concerned.
    package let attribute: String?

    package init(_ code: Code, _ entity: String, _ attribute: String? = nil) {
        self.code = code
        self.entity = entity
        self.attribute = attribute
    }
}

/// Values that a merge did not keep.
package struct Conflict: Sendable, Hashable {
    package typealias Reason = ConflictReason

    package struct Value: Sendable, Hashable {
        /// The attribute's position in its entity.
        package let attribute: Int
        package let losing: StoredValue
        /// The value that was kept; nil if the row is gone.
        package let winning: StoredValue?

        package init(_ attribute: Int, losing: StoredValue, winning: StoredValue?) {
            self.attribute = attribute
            self.losing = losing
            self.winning = winning
        }
    }

    package let key: RowKey
    package let reason: Reason
    /// The mutation that met the conflict; not always the one that lost.
    package let mutation: UUID
    package var values: [Value]

    package init(_ key: RowKey, _ reason: Reason, mutation: UUID, values: [Value]) {
        self.key = key
        self.reason = reason
        self.mutation = mutation
        self.values = values
    }
}

/// An entry of the conflict log.
package struct LoggedConflict: Sendable, Hashable {
    package let id: UUID
    /// When it was logged, by the server's clock, in microseconds since 1970.
    package let time: Int64
    /// The name of the device whose mutation met the conflict.
    package let device: String?
    package let conflict: Conflict

    package init(id: UUID, time: Int64, device: String?, _ conflict: Conflict) {
        self.id = id
        self.time = time
        self.device = device
        self.conflict = conflict
    }
}

/// Why the server rejects a write.
public enum RejectionReason: String, Sendable, Hashable, Codable {
    /// Another row has the value of a unique key.
    case unique
    /// A row is missing that a new row refers to, or a `deny` rule protects one that would be deleted.
    case reference
    /// An attribute does not allow a value.
    case value
    /// The write may have been carried out before: it is older than what the server remembers.
    case uncertain
    /// The member may only read.
    case role
    /// The membership ended before the write was sent.
    case membership
}

/// Why a merge did not keep values.
public enum ConflictReason: String, Sendable, Hashable, Codable {
    /// Another edit of the attribute was newer, or won by the attribute's policy.
    case edited
    /// The row was deleted.
    case deleted
    /// A row that it refers to was deleted.
    case parentDeleted
    /// Another row has its unique key.
    case unique
    /// The device's row differed from the server's, although nothing had changed it: it was damaged on one of them.
    case damaged
}
