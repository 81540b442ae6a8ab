import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardAppGroup
import Testing

@Suite("The app's places")
struct BabyMonitorAppTests {
    @Test("the app's two builds have app groups and cloud containers of their own")
    func identifiers() {
        #expect(BabyMonitorApp.profiles.map(\.name) == ["debug", "release"])
        #expect(BabyMonitorApp.debug.appGroup == "group.sungdoo.babyDashboard.dev")
        #expect(BabyMonitorApp.debug.cloudContainer == "iCloud.sungdoo.babyDashboard.dev")
        #expect(BabyMonitorApp.release.appGroup == "group.sungdoo.babyDashboard")
        #expect(BabyMonitorApp.release.cloudContainer == "iCloud.sungdoo.babyDashboard")
    }

    @Test("the app's store and cache are in the app group's directory")
    func paths() throws {
        let container = try AppGroupContainer(
            BabyMonitorApp.release.appGroup, root: "/data", environment: [:])
        #expect(
            BabyMonitorApp.storePath(in: container)
                == "/data/group.sungdoo.babyDashboard/BabyDashboard.sqlite")
        #expect(
            BabyMonitorApp.widgetCache(in: container).directory.path
                == "/data/group.sungdoo.babyDashboard/WidgetCache")
    }

    @Test("the app group keeps the start of the day")
    func settings() throws {
        let root = FileManager.default.temporaryDirectory.appending(
            path: "baby-settings-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let container = try AppGroupContainer("group.test", root: root.path, environment: [:])
        let defaults = AppGroupDefaults(filesIn: container)
        let settings = AppSettings(defaults)
        #expect(try settings.historyDay(timeZone: .gmt) == HistoryDay(timeZone: .gmt))
        try settings.setHistoryDay(HistoryDay(startHour: 5, startMinute: 30, timeZone: .gmt))
        #expect(try settings.historyDay(timeZone: .gmt).startHour == 5)
        #expect(try settings.historyDay(timeZone: .gmt).startMinute == 30)
        #expect(try defaults.integer("startOfDayHour") == 5)
        try defaults.set(25, for: "startOfDayHour")
        #expect(throws: BabyMonitorError.self) { try settings.historyDay(timeZone: .gmt) }
    }
}
