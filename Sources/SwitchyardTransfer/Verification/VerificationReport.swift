public import Foundation

/// The result of a comparison of two stores.
public struct VerificationReport: Sendable, Hashable {
    /// The entities, in the order of the schema.
    public let entities: [EntityComparison]
    /// The number of rows that were drawn at random; those of entities whose digests are equal were compared value by value.
    public let sampledRows: Int

    /// Whether both stores hold the same rows, and no reference leads nowhere.
    public var isEqual: Bool { entities.allSatisfy(\.isEqual) }

    /// The combined report of two scopes.
    func adding(_ other: VerificationReport) -> VerificationReport {
        VerificationReport(
            entities: zip(entities, other.entities).map { one, two in
                EntityComparison(
                    entity: one.entity, first: one.first.adding(two.first),
                    second: one.second.adding(two.second),
                    differences: one.differences + two.differences,
                    danglingReferences: one.danglingReferences + two.danglingReferences)
            }, sampledRows: sampledRows + other.sampledRows)
    }

    /// The same report with the digests of rows that were changed and compared since.
    func updated(first: [RowsDigest], second: [RowsDigest]) -> VerificationReport {
        VerificationReport(
            entities: zip(entities, zip(first, second)).map { entity, digests in
                EntityComparison(
                    entity: entity.entity, first: digests.0, second: digests.1,
                    differences: entity.differences, danglingReferences: entity.danglingReferences)
            }, sampledRows: sampledRows)
    }
}

/// The result of a comparison for one entity.
public struct EntityComparison: Sendable, Hashable {
    /// The entity's name.
    public let entity: String
    /// The digests of the rows of the first and of the second store.
    public let first: RowsDigest, second: RowsDigest
    /// Some of the rows that differ, by id, as limited by `Store.verify(against:)`.
    public let differences: [RowDifference]
    /// The references that lead nowhere, in either store.
    public let danglingReferences: [DanglingReferences]

    /// Whether both stores hold the same rows, and no reference leads nowhere.
    public var isEqual: Bool { first == second && differences.isEmpty && danglingReferences.isEmpty }
}

/// A row that differs between two stores.
public struct RowDifference: Sendable, Hashable {
    /// The row.
    public let id: UUID
    /// How it differs.
    public let kind: Kind

    package init(id: UUID, kind: Kind) {
        self.id = id
        self.kind = kind
    }

    /// How a row differs.
    public enum Kind: Sendable, Hashable {
        /// It is only in the first store.
        case onlyInFirst
        /// It is only in the second store.
        case onlyInSecond
        /// These attributes have other values.
        case attributes([String])
    }
}

/// Rows of a store with a reference to a row that does not exist.
public struct DanglingReferences: Sendable, Hashable {
    /// The attribute that refers.
    public let attribute: String
    /// The number of rows in the first and in the second store.
    public let first: Int, second: Int

    package init(attribute: String, first: Int, second: Int) {
        self.attribute = attribute
        self.first = first
        self.second = second
    }
}
