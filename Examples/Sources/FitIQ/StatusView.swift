internal import Foundation
internal import Switchyard
internal import SwitchyardConformance
internal import SwitchyardCore
internal import Synchronization

/// Prints how a migration goes, and what has come out of it.
final class StatusView: Sendable {
    private struct State {
        var began = ContinuousClock.now
        var report: MigrationReport?
        var duration = Duration.zero
    }

    private let state = Mutex(State())

    /// Prints a line for each stage that begins.
    func show(_ status: MigrationStatus) {
        switch status {
        case .notNeeded: print("nothing to do")
        case .pending: break
        case .inProgress(let progress):
            print("stage     \(progress.stage) of \(progress.count): \(progress.from) to \(progress.to)")
        case .completed(let report):
            state.withLock { state in
                state.report = report
                state.duration = state.began.duration(to: .now)
            }
        case .failed(let error): print("failed    \(error)")
        }
    }

    /// Prints what was wrong with a store, and what was done.
    func show(_ report: RepairReport) {
        for finding in report.diagnosis.findings { print("found     \(finding.line)") }
        for operation in report.diagnosis.operations {
            print("done      \(operation.table ?? "marker"), \(operation.rows) rows. \(operation.message)")
        }
        print("kept      \(report.backup ?? "nothing")")
    }

    /// Prints the version, the stages, the rows of each entity before and after, the backup and the duration.
    func summarize(_ store: any Store, _ before: SchemaRows, _ after: SchemaRows, _ faults: [String]) {
        let (report, duration) = state.withLock { ($0.report, $0.duration) }
        let milliseconds = Int(duration / .milliseconds(1))
        print("location  \(store.info.backend), \(store.info.location)")
        print("version   \(after.schema.version), was \(before.schema.version)")
        print("stages    \(report?.stages.count ?? 0), in \(milliseconds) ms")
        print("backup    \(report?.backup ?? "none: this backend makes no copy")")
        print("check     \(faults.isEmpty ? "no faults" : faults.joined(separator: "; "))")
        print("\("rows".padded(to: 36)) before after")
        for entity in after.schema.entities {
            let old = before.schema.entity(entity.name) ?? before.schema.earlier(entity.name)
            let count = old.map { "\(before.rows(of: $0.name).count)" } ?? "new"
            print(
                "  \(entity.name.padded(to: 34)) \(count.padded(to: 6)) \(after.rows(of: entity.name).count)")
        }
    }
}

extension Schema {
    /// The profile, which has the number of its version in its name.
    fileprivate func earlier(_ name: String) -> Entity? {
        name.hasPrefix("SDUserProfile") ? entities.first { $0.name.hasPrefix("SDUserProfile") } : nil
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
