public import Foundation
internal import Switchyard
internal import SwitchyardJSON

/// The three files of JSON in which the app kept everything before it had a store.
///
/// They are only read. A file that is missing was never written; one that cannot be read, or is not what it should be, is
/// an error, and nothing is imported from any of them.
public struct LegacyFiles: Sendable {
    /// The file of entries, in the app group.
    public let entries: String
    /// The file of types, in the app group.
    public let intakeTypes: String
    /// The file of goals, in the documents.
    public let goals: String

    /// Names the files.
    ///
    /// - Parameters:
    ///   - appGroup: The directory of the app group.
    ///   - documents: The app's documents.
    public init(appGroup: URL, documents: URL) {
        entries = appGroup.appending(path: "entrystore.json").path
        intakeTypes = appGroup.appending(path: "intakeTypes.json").path
        goals = documents.appending(path: "goalsstore.json").path
    }

    /// The number of rows of each kind.
    public struct Counts: Sendable, Hashable {
        /// The number of entries.
        public var entries = 0
        /// The number of types.
        public var intakeTypes = 0
        /// The number of goals.
        public var goals = 0
    }

    private struct OldEntry: Decodable {
        let id: UUID, date: Date, units: String, amount: Double, name: String, goalMet: Bool
    }

    private struct OldType: Decodable {
        let id: UUID, name: String, unit: String, amount: Double, descrip: String, frequency: Frequency
    }

    private struct OldGoal: Decodable {
        let id: UUID, name: String, description: String, dates: [Date], isActive: Bool, isCompleted: Bool
        let dosage: Double, units: String, frequency: Frequency
    }

    /// Inserts what the files hold; ids and the names that link entries to types stay as they are.
    ///
    /// - Returns: The number of rows of each kind.
    /// - Throws: `JSONError`, naming file, line and element; `unique` if two elements of a file have the same id.
    func insert(into tx: WriteTransaction) throws -> Counts {
        var counts = Counts()
        counts.entries = try Self.forEach(entries) { (old: OldEntry) in
            try tx.insert(
                KeepTrackV1.Entry(
                    id: .init(old.id), date: old.date, units: old.units, amount: old.amount, name: old.name,
                    goalMet: old.goalMet))
        }
        counts.intakeTypes = try Self.forEach(intakeTypes) { (old: OldType) in
            try tx.insert(
                KeepTrackV1.IntakeType(
                    id: .init(old.id), name: old.name, unit: old.unit, amount: old.amount,
                    descrip: old.descrip,
                    frequency: old.frequency))
        }
        counts.goals = try Self.forEach(goals) { (old: OldGoal) in
            try tx.insert(
                KeepTrackV1.Goal(
                    id: .init(old.id), name: old.name, description: old.description, dates: old.dates,
                    isActive: old.isActive, isCompleted: old.isCompleted, dosage: old.dosage,
                    units: old.units,
                    frequency: old.frequency))
        }
        return counts
    }

    private static func forEach<Old: Decodable>(_ path: String, _ body: (Old) throws -> Void) throws -> Int {
        try JSONRecords.ifPresent(path)?.forEach(Old.self, body) ?? 0
    }
}
