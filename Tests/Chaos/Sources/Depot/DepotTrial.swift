import Foundation
import SwitchyardConformance
import SwitchyardCore

/// Rounds of work on databases that are alike, each by processes that are killed until one has done it.
struct DepotTrial: Sendable {
    /// What is done where, for the report.
    let name: String
    /// The arguments of a process that does the work, given the database that it changes.
    let arguments: @Sendable (RawDatabase) -> [String]
    /// How a database may look while the work is not done.
    let before: [DepotPicture]
    /// Finds out what is wrong with a database in which the work is done, or is not.
    let faults: @Sendable (RawDatabase, KilledWork.State) async throws -> [String]

    /// The number of violations after which no further round begins.
    private static let mostViolations = 10

    /// Does the work once in a process that is not killed, and then again in others that are.
    ///
    /// - Parameters:
    ///   - trial: How often.
    ///   - generator: Draws the moments.
    ///   - lend: Lends a new database each time.
    /// - Throws: What the scenario itself fails for.
    func run(
        _ trial: Trial, _ generator: inout SeededGenerator,
        lending lend: ((RawDatabase) async throws -> Void) async throws -> Void
    ) async throws {
        let (report, effort) = (trial.report, trial.effort.restarted)
        try await Scratch.with { scratch in
            var undisturbed: (pace: KilledWork.Pace, after: DepotPicture)?
            try await lend { database in
                let work = work(on: database, after: nil, report)
                guard let pace = try await work.measured(in: scratch, report), try await work.look() == .done
                else { return report.violation("\(name): not done by a process that was not killed") }
                undisturbed = (pace, try await DepotPicture(of: database))
            }
            guard let (measured, after) = undisturbed else { return }
            var (pace, kills) = (measured, 0)
            let known = report.violations.count
            // Rounds that fail without a kill would go on for ever.
            while effort.goesOn(after: kills), report.violations.count < known + Self.mostViolations {
                try await lend { database in
                    let work = work(on: database, after: after, report)
                    kills += try await work.run(&pace, in: scratch, &generator, report)
                    try await lookAround(database, report)
                }
                report.count("rounds \(name)")
            }
        }
        report.require("kills inside \(name)")
    }

    /// The work on a database, and how it is looked at.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - after: How it looks when the work is done; nil while that is not known.
    ///   - report: Where violations are reported.
    /// - Returns: The work.
    private func work(on database: RawDatabase, after: DepotPicture?, _ report: Report) -> KilledWork {
        KilledWork(name: name, arguments: arguments(database)) {
            try await database.asLeft { left in
                let picture = try await DepotPicture(of: left)
                let state: KilledWork.State
                if before.contains(picture) {
                    state = .undone
                } else if let after, picture != after {
                    report.violation("\(name): half done: \(picture.difference(from: after))")
                    return nil
                } else {
                    state = .done
                }
                report.count("looks at \(state) \(name)")
                do {
                    for fault in try await faults(left, state) {
                        report.violation("\(name), \(state): \(fault)")
                    }
                } catch let error as StoreError {
                    report.violation("\(name), \(state): \(error.debugDescription)")
                }
                return state
            }
        }
    }

    /// Checks that beside a file and its logs there is nothing but copies of it as it was before.
    private func lookAround(_ database: RawDatabase, _ report: Report) async throws {
        for file in try database.neighbours where !file.hasSuffix("-wal") && !file.hasSuffix("-shm") {
            guard file.hasSuffix(".backup") else {
                report.violation("\(name): left behind: \(file)")
                continue
            }
            let path = URL(filePath: database.path).deletingLastPathComponent().path + "/" + file
            let backup = try await DepotPicture(of: RawDatabase(backend: .sqlite, url: "sqlite:\(path)"))
            if !before.contains(backup) { report.violation("\(name): \(file) is not as it was before") }
        }
    }
}
