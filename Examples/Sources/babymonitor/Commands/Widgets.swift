import ArgumentParser
import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCommands

/// `widgets refresh|show`.
struct Widgets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "widgets", abstract: "Writes and shows the snapshots that widgets read.",
        subcommands: [Refresh.self, Show.self])

    struct Refresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "refresh", abstract: "Writes a snapshot of each baby.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .reading) { session in
                let cache = try session.requireWidgetCache()
                let snapshots = try await session.widgets(cache).refresh()
                if options.json { return try print(json: snapshots) }
                Terminal.print("Wrote \(snapshots.count) snapshots to \(cache.directory.path).")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Shows the snapshots as they were last written.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .reading) { session in
                let cache = try session.requireWidgetCache()
                let snapshots = try await session.dashboard.babies().compactMap { try cache.snapshot(of: $0) }
                if options.json { return try print(json: snapshots) }
                if snapshots.isEmpty {
                    Terminal.print("There are no snapshots yet; write them with: babymonitor widgets refresh")
                }
                for snapshot in snapshots {
                    // Formatted as text, because a damaged file's number might not fit into an integer.
                    let share = String(format: "%.0f", snapshot.totalProgress * 100)
                    Terminal.print(
                        "\(snapshot.name): \(share) % of the feeding interval\(snapshot.isFeeding ? ", feeding" : ""), written "
                            + TimeText.short(snapshot.updatedAt))
                }
            }
        }
    }
}

extension WidgetSnapshotCache {
    fileprivate func snapshot(of baby: BabyProfile) throws -> WidgetSnapshot? {
        do {
            return try read(baby.id.uuid)
        } catch is DecodingError {
            throw BabyMonitorError(
                .inputOutput,
                "The file \(file(of: baby.id.uuid).path) is not a snapshot. Rewrite it with: babymonitor widgets refresh"
            )
        }
    }
}

/// Prints snapshots as a list, in the format of their files.
private func print(json snapshots: [WidgetSnapshot]) throws {
    let texts = try snapshots.map { String(decoding: try $0.json(), as: UTF8.self) }
    print("[\(texts.joined(separator: ",\n "))]")
}
