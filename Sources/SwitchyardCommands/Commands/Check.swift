package import ArgumentParser
internal import Foundation
internal import SwitchyardCore

extension StoreCommand {
    /// `store check`.
    package struct Check: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "check",
                abstract:
                    "Checks every row, the history, and that the tables match the store's version.",
                discussion:
                    "A store of an earlier release is sound. The command repair corrects what can be corrected."
            )
        }

        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let (faults, diagnosis) = try await look()
            if call.json {
                try Terminal.print(json: faults)
            } else {
                let parts = diagnosis?.findings.filter { $0.code == .partUnknown } ?? []
                Terminal.print(lines: faults + parts.map(\.line))
            }
            guard faults.isEmpty else { throw Self.error(of: diagnosis) }
            if !call.json { Terminal.print(diagnosis?.summary(App.self) ?? "The store is sound.") }
        }

        private static func error(of diagnosis: StoreDiagnosis?) -> StoreError {
            guard diagnosis?.isOnlyObstructed != true else {
                return StoreError(
                    .schemaMismatch,
                    "The store cannot be migrated before what is shown above is out of the way.")
            }
            return StoreError(
                .corrupted,
                diagnosis?.canBeRepaired == true
                    ? "The store is damaged, as shown above, and can be repaired: \(App.repairCommand)."
                    : "The store is damaged, as shown above. Make a copy before you go on.")
        }

        /// What the store finds of itself, and what its tables tell beside the versions of the app; no diagnosis of a store
        /// in memory.
        private func look() async throws -> ([String], StoreDiagnosis?) {
            let plan = try await Session.plan(call)
            let (opening, open) = try await Session.opener(call)
            let faults: [String]
            do {
                faults = try await Session.run(call, for: .inspecting) { session in
                    try await session.store.check() + session.store.checkHistory()
                }
            } catch let error as StoreError
                where [.schemaMismatch, .corrupted, .notAStore].contains(error.code)
            {
                // The tables may tell more than the marker.
                guard let found = try? await plan.diagnose(opening, checksRows: true, open) else {
                    throw error
                }
                return (found.faults.map(\.line), found)
            }
            do {
                let diagnosis = try await plan.diagnose(opening, open)
                return (faults.isEmpty ? diagnosis.faults.map(\.line) : faults, diagnosis)
            } catch let error as StoreError where [.unsupported, .corrupted].contains(error.code) {
                return (faults, nil)
            }
        }
    }
}
