import BabyMonitorKit
import Foundation
import SwitchyardLint
import Testing

@Suite("The versions of the app's schema")
struct SchemaLockTests {
    private static let lockFile = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/BabyMonitorKit/schema.lock").path

    @Test("all versions of the app's schema are frozen as they were released")
    func frozen() throws {
        var lock = SchemaLock()
        _ = try lock.freeze(BabyMonitorPlan.self)
        #expect(
            try String(contentsOfFile: Self.lockFile, encoding: .utf8) == lock.text,
            "Undo the change of a released version; for a new one run: babymonitor store schema freeze")
    }

    @Test("the versions of the app's schema have no unaccepted findings")
    func lint() throws {
        let lint = try SchemaLintTool(BabyMonitorPlan.self, lockFile: Self.lockFile).lint()
        #expect(!lint.fails, "\(lint.text)")
    }
}
