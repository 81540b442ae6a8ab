import Foundation
import SwitchyardCore
import Testing

@testable import SwitchyardStore

@Suite("Waits")
struct WaitTests {
    /// What waits by the system's time would be written with.
    private static let spellings = [
        "wait(until: Date", "wait(until: .", "sleep(until: Date", "run(until:", "run(mode:", "wallDeadline",
        "DispatchWallTime", "CLOCK_REALTIME", "gettimeofday", "pthread_mutex_timedlock", "sem_timedwait",
    ]

    @Test("no source waits by the adjustable time of day")
    func sources() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
            .standardized
        var count = 0
        for folder in ["Sources", "Plugins"] {
            let files = try #require(
                FileManager.default.enumerator(
                    at: root.appending(path: folder), includingPropertiesForKeys: nil,
                    options: .skipsHiddenFiles))
            for case let file as URL in files where ["swift", "c", "h"].contains(file.pathExtension) {
                count += 1
                let text = try String(contentsOf: file, encoding: .utf8)
                for spelling in Self.spellings where text.contains(spelling) {
                    Issue.record("\(file.path) has \(spelling)")
                }
            }
        }
        #expect(count > 500)
    }

    @Test("a wait ends when another thread changes the state, and otherwise after its time")
    func monitor() {
        let monitor = Monitor(0)
        #expect(monitor.wait(atMost: 0.01) { $0 > 0 ? $0 : nil } == nil)
        let thread = Thread { monitor.withLock { $0 = 7 } }
        thread.start()
        #expect(monitor.wait(atMost: 600) { $0 > 0 ? $0 : nil } == 7)
        #expect(monitor.wait { $0 > 0 ? $0 : nil } == 7)
    }
}
