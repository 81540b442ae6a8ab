/// What a store really holds, table by table, compared with the versions of a migration plan.
///
/// A store that was left half-way between two versions has a marker of one and tables of the other, or some tables of each.
/// `PluginRegistry.diagnose(url:migrating:options:home:)` tells that without changing anything, and
/// `repair(url:migrating:options:home:)` puts it right.
public struct StoreDiagnosis: Sendable, Hashable, Codable {
    /// The version that the marker names; nil if it cannot be read, or the plan does not know the version.
    public let markedVersion: SchemaVersion?
    /// The version that the store has, or would have after a repair; nil if the tables do not tell.
    ///
    /// It is the least version that no table with rows has left behind, or the marker's own if every table fits that, too.
    public let version: SchemaVersion?
    /// The newest version of the plan.
    public let newestVersion: SchemaVersion
    /// The tables that belong to any version of the plan, by name.
    public let tables: [Table]
    /// What is wrong, and what others have added to the tables; none if the store is only what its schema says.
    public let findings: [Finding]
    /// What a repair does, in order; none if there is nothing to do, or it cannot be done.
    public let operations: [Operation]

    /// What is wrong: the findings without those that only tell what others have added.
    public var faults: [Finding] { findings.filter { $0.code != .partUnknown } }
    /// Whether nothing is wrong: the store can be opened with the version that it has, and migrated from there.
    public var isSound: Bool { faults.isEmpty }
    /// Whether the store is sound, and of a version before the newest.
    public var isOlder: Bool { isSound && version.map { $0 < newestVersion } == true }
    /// Whether something is wrong that a repair puts right.
    public var canBeRepaired: Bool { !isSound && faults.allSatisfy(\.canBeRepaired) }
    /// Whether the store is whole, and only something that others have added keeps it from being migrated.
    public var isOnlyObstructed: Bool { !isSound && faults.allSatisfy { $0.code == .partInTheWay } }

    /// A table as it was found.
    public struct Table: Sendable, Hashable, Codable {
        /// Its name.
        public let name: String
        /// The versions whose columns, keys and checks it has; if there are none, those whose columns it has.
        public let versions: [SchemaVersion]
        /// How many rows it has, in all scopes.
        public let rows: Int
    }

    /// Something that was found.
    public struct Finding: Sendable, Hashable, Codable {
        /// What kind of finding it is.
        public let code: Code
        /// The table; nil if it is not about one.
        public let table: String?
        /// What was found, in sentences without any value of a row.
        public let message: String
        /// Whether a repair puts it right.
        public let canBeRepaired: Bool
    }

    /// The kinds of findings, whose names stay the same.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// There is no marker.
        case markerMissing
        /// The marker cannot be read, or what the store keeps beside it says something else.
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
        /// A table is left from another version, or from a change of tables that was not finished.
        case tableLeftOver
        /// A table could be of several versions, between which rows are calculated anew.
        case tableAmbiguous
        /// A table must go through the code of a stage, which a repair does not run.
        case needsCode
        /// A reference of a table is aimed at a table of another version, or at none.
        case referenceAstray
        /// A key, a check or an index is missing or not as it was made.
        case constraintMissing
        /// Rows refer to rows that do not exist.
        case danglingReference
        /// What the store keeps for itself is missing or not as it was made.
        case bookkeeping
        /// Damage that `Store.check()` finds.
        case damage
        /// A table has a part that no schema of the store knows, and that stays as it is: no fault.
        case partUnknown
        /// A table has such a part, and a migration or a repair would lose it, or takes its name.
        case partInTheWay
    }

    /// What a repair does to one table, or to the marker.
    public struct Operation: Sendable, Hashable, Codable {
        /// The table afterwards; before, if it is dropped; nil for the marker.
        public let table: String?
        /// What becomes of it.
        public let fate: Fate
        /// How many rows are concerned.
        public let rows: Int
        /// What is done, in a sentence.
        public let message: String
    }

    /// What becomes of a table.
    public enum Fate: String, Sendable, Hashable, Codable {
        /// It is made anew with its rows, which keep their values but for what the stages say.
        case remade
        /// It is made, and has no rows.
        case created
        /// It goes, because the plan says so, it is empty, or its rows are all in another table.
        case dropped
        /// Its rows that another table lacks are added to that, and it goes.
        case merged
        /// Its indexes and foreign keys are added.
        case indexed
        /// The marker is written.
        case marked
    }
}

/// What a repair has done.
public struct RepairReport: Sendable, Hashable, Codable {
    /// What was found, and done.
    public let diagnosis: StoreDiagnosis
    /// Where the store is kept as it was before; nil if nothing was to be done, or the backend makes no copy.
    public let backup: String?
}
