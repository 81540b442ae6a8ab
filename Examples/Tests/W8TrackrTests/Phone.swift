import Foundation
import SQLiteStore
import Switchyard
import SwitchyardAppGroup
import SwitchyardCore
import Synchronization
import W8Trackr

/// The directories of an app and of its group, removed when the test lets go of them.
final class Phone: Sendable {
    let directory: URL
    let container: AppGroupContainer

    init() throws {
        directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "w8trackr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory.appending(path: "Application Support"), withIntermediateDirectories: true)
        container = try AppGroupContainer(
            "group.example.w8trackr", root: directory.path, environment: [:])
        try container.create()
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    var store: SharedStore {
        SharedStore(
            applicationSupport: directory.appending(path: "Application Support"), container: container)
    }

    /// Makes the store of the app as it was before there was a widget, with seven weights.
    func makeOldStore() async throws {
        let settings = try StoreSettings(["path": store.oldPath], for: SQLitePlugin.self)
        let old = try await SQLitePlugin.open(
            settings, schema: W8TrackrSchema.schema, options: OpenOptions(keepsHistory: true))
        try await old.write { tx in
            for day in 0..<7 {
                _ = try tx.insert(
                    WeightEntry(
                        id: WeightEntry.ID(), weightValue: 180 - Double(day),
                        date: Date(timeIntervalSince1970: Double(day) * 86_400)))
            }
            _ = try tx.insert(
                CompletedMilestone(
                    id: CompletedMilestone.ID(), targetWeight: 175,
                    achievedDate: Date(timeIntervalSince1970: 518_400), startWeight: 180))
        }
        try await old.close()
    }
}

/// What the app's seams were asked to do, in order.
final class Doings: Sendable {
    private let list = Mutex<[String]>([])

    func note(_ what: String) { list.withLock { $0.append(what) } }
    var all: [String] { list.withLock(\.self) }
}

struct NotingWidgets: WidgetReloading {
    let doings: Doings

    func reloadWidgets() async { doings.note("widgets reloaded") }
}

/// A cloud that can be reached or never answers.
struct NotingSync: CloudSync {
    let doings: Doings
    var isReachable = true
    let isOn = AsyncStream.makeStream(of: Void.self)

    func turnOff() { doings.note("sync off") }

    func turnOn() async {
        isOn.continuation.yield()
        // Nobody ever resumes this, but for a cancellation.
        if !isReachable { try? await Task.sleep(for: .seconds(1_000_000)) }
        doings.note("sync on")
        isOn.continuation.finish()
    }
}
