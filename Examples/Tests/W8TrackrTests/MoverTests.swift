import Foundation
import SQLiteRelocation
import Switchyard
import SwitchyardAppGroup
import SwitchyardCore
import Testing
import W8Trackr

@MainActor @Suite("The move of the store into the app group")
struct MoverTests {
    let phone: Phone
    let doings = Doings()

    init() throws { phone = try Phone() }

    private func mover(_ sync: NotingSync? = nil) -> StoreMover {
        StoreMover(
            phone.store, widgets: NotingWidgets(doings: doings), sync: sync ?? NotingSync(doings: doings))
    }

    @Test("a fresh install opens the new place at once, and has nothing to move")
    func fresh() async throws {
        let mover = mover()
        await mover.moveIfNeeded()
        #expect(mover.status == .notNeeded)
        let store = try await phone.store.open()
        #expect(store.info.location == phone.container.path(of: "default.store"))
        try await store.close()
        await mover.refresh()
        #expect(mover.status == .notNeeded)
    }

    @Test("after the move all weights have their ids, sync was paused, and the widgets are notified")
    func moved() async throws {
        try await phone.makeOldStore()
        await #expect(throws: StoreError.self) { try await phone.store.open() }
        let sync = NotingSync(doings: doings)
        let mover = mover(sync)
        await mover.moveIfNeeded()
        #expect(mover.status == .completed)
        for await _ in sync.isOn.stream {}
        #expect(doings.all == ["sync off", "widgets reloaded", "sync on"])
        let app = try await phone.store.open()
        let widget = try await phone.store.open(.readOnly)
        let weights = try await widget.read { try $0.fetch(WeightEntry.all.sorted(by: \.date)) }
        #expect(weights.map(\.weightValue) == [180, 179, 178, 177, 176, 175, 174])
        #expect(
            weights.allSatisfy { $0.source == "W8Trackr" && $0.weightUnit == "lb" && $0.pendingHealthSync })
        #expect(try await app.read { try $0.fetch(CompletedMilestone.all) }.map(\.startWeight) == [180])
        for store in [app, widget] { try await store.close() }
        // The next launch has nothing to do.
        let next = self.mover()
        await next.moveIfNeeded()
        #expect(next.status == .completed)
        try await next.removeBackup()
        #expect(next.status == .notNeeded)
        #expect(!FileManager.default.fileExists(atPath: phone.store.oldPath))
    }

    @Test("a cloud that never answers does not delay the move")
    func unreachable() async throws {
        try await phone.makeOldStore()
        let sync = NotingSync(doings: doings, isReachable: false)
        let mover = mover(sync)
        await mover.moveIfNeeded()
        #expect(mover.status == .completed)
        // It was asked in the end.
        var asked = sync.isOn.stream.makeAsyncIterator()
        #expect(await asked.next() != nil)
        #expect(doings.all == ["sync off", "widgets reloaded"])
    }

    @Test("a failed move says why, is not retried by itself, and works when the user retries")
    func retried() async throws {
        try await phone.makeOldStore()
        let inTheWay = phone.store.path + "-wal"
        try Data("left".utf8).write(to: URL(filePath: inTheWay))
        let mover = mover()
        await mover.moveIfNeeded()
        guard case .failed(let message) = mover.status else { return #expect(Bool(false), "\(mover.status)") }
        #expect(message.hasPrefix(inTheWay))
        #expect(doings.all == ["sync off"])
        try FileManager.default.removeItem(atPath: inTheWay)
        // Another launch does not try again either.
        let next = self.mover()
        await next.moveIfNeeded()
        #expect(next.status == .failed(message))
        await next.retry()
        #expect(next.status == .completed)
        #expect(doings.all.filter { $0 == "widgets reloaded" }.count == 1)
    }

    @Test("an app and its widget that start together move the store once")
    func together() async throws {
        try await phone.makeOldStore()
        let (one, two) = (mover(), mover())
        async let first: Void = one.moveIfNeeded()
        async let second: Void = two.moveIfNeeded()
        _ = await (first, second)
        #expect(one.status == .completed)
        #expect(two.status == .completed)
        let store = try await phone.store.open()
        #expect(try await store.read { try $0.countRows(of: "WeightEntry") } == 7)
        try await store.close()
    }
}
