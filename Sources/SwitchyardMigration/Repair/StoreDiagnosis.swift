/// The content of a store, table by table, compared with the versions of a migration plan.
///
/// A store that was left half-way between two versions has a marker of one and tables of the other, or of
/// both. `PluginRegistry.diagnose(url:migrating:options:home:)` detects that without changing anything, and
/// `repair(url:migrating:options:home:)` repairs it.
public struct StoreDiagnosis: Sendable, Hashable, Codable {
    /// The version that the marker names; nil if it cannot be read, or the plan does not know the version.
    public let markedVersion: SchemaVersion?
    /// The version that the store has, or would have after a repair; nil if the tables do not show it.
    ///
    /// It is the lowest version that no table with rows has moved past, or the marker's own if every table
    /// fits that as well.
    public let version: SchemaVersion?
    /// The newest version of the plan.
    public let newestVersion: SchemaVersion
    /// The tables that belong to any version of the plan, by name.
    public let tables: [Table]
    /// Faults, and additions of others to the tables; empty if the store holds only what its schema says.
    public let findings: [Finding]
    /// The operations of a repair, in order; empty if there is nothing to do, or a repair is impossible.
    public let operations: [Operation]

    /// The faults: the findings without mere additions of others.
    public var faults: [Finding] { findings.filter { $0.code != .partUnknown } }
    /// Whether nothing is wrong: the store can be opened with the version that it has, and migrated from there.
    public var isSound: Bool { faults.isEmpty }
    /// Whether the store is sound, and of a version before the newest.
    public var isOlder: Bool { isSound && version.map { $0 < newestVersion } == true }
    /// Whether something is wrong that a repair puts right.
    public var canBeRepaired: Bool { !isSound && faults.allSatisfy(\.canBeRepaired) }
    /// Whether the store is sound, and only an addition of others keeps it from being migrated.
    public var isOnlyObstructed: Bool { !isSound && faults.allSatisfy { $0.code == .partInTheWay } }

    /// An examined table.
    public struct Table: Sendable, Hashable, Codable {
        /// Its name.
        public let name: String
        /// The versions whose columns, keys and checks it has; if there are none, the versions with the same
        /// columns.
        public let versions: [SchemaVersion]
        /// The number of its rows, in all scopes.
        public let rows: Int
    }

    /// Something that was found.
    public struct Finding: Sendable, Hashable, Codable {
        /// The kind of finding.
        public let code: Code
        /// The table; nil if it is not about one.
        public let table: String?
        /// The finding in words, without any value of a row.
        public let message: String
        /// Whether a repair puts it right.
        public let canBeRepaired: Bool
    }

    /// The kinds of findings, whose names stay the same.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// The marker is missing.
        case markerMissing
        /// The marker cannot be read, or contradicts what the store keeps beside it.
        case markerDamaged
        /// The marker names a version that the plan does not know, or another schema under a version that it knows.
        case markerUnknown
        /// The marker names another version than the tables have.
        case markerOfOtherVersion
        /// A table has an earlier version than others.
        case tableBehind
        /// A table fits no version of the plan.
        case tableUnknown
        /// A table is missing.
        case tableMissing
        /// A table is left from another version, or from an unfinished change of tables.
        case tableLeftOver
        /// A table could belong to several versions between which rows are recalculated.
        case tableAmbiguous
        /// A table must go through the code of a stage, which a repair does not run.
        case needsCode
        /// A reference of a table is aimed at a table of another version, or at none.
        case referenceAstray
        /// A key, a check or an index is missing or different.
        case constraintMissing
        /// Rows refer to rows that do not exist.
        case danglingReference
        /// The store's own tables are missing or different.
        case bookkeeping
        /// Damage that `Store.check()` finds.
        case damage
        /// A table has a part that no schema of the store knows, and that is kept: not a fault.
        case partUnknown
        /// A table has such a part, and a migration or a repair would lose it, or takes its name.
        case partInTheWay
    }

    /// The operation of a repair on one table, or on the marker.
    public struct Operation: Sendable, Hashable, Codable {
        /// The table afterwards; before, if it is dropped; nil for the marker.
        public let table: String?
        /// The change.
        public let fate: Fate
        /// The number of affected rows.
        public let rows: Int
        /// The operation in words.
        public let message: String
    }

    /// The change of a table.
    public enum Fate: String, Sendable, Hashable, Codable {
        /// It is rebuilt with its rows, which keep their values, except for the stages.
        case remade
        /// It is made, and has no rows.
        case created
        /// It is dropped, because the plan says so, it is empty, or its rows are all in another table.
        case dropped
        /// Rows that another table lacks are moved to that, and it is dropped.
        case merged
        /// Its indexes and foreign keys are added.
        case indexed
        /// The marker is written.
        case marked
    }
}

/// The result of a repair.
public struct RepairReport: Sendable, Hashable, Codable {
    /// The findings and the operations.
    public let diagnosis: StoreDiagnosis
    /// The place of the copy from before the repair; nil if nothing was done, or the backend makes no copy.
    public let backup: String?
}
