import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCore
import SwitchyardIntents
import SwitchyardMirror
import SwitchyardMirrorService
import TestBackends
import Testing

@Suite("A household in BabyMonitor")
struct HouseholdAppTests {
    private static func withHouse(_ body: (HouseholdTests.House) async throws -> Void) async throws {
        let schema = try BabyMonitorSchema.schema
        try await TestBackend.sqlite.withStore(schema, options: OpenOptions(scope: .unused)) { server in
            let service = try await MirrorService.serving(server, requestsPerMinute: 100_000)
            try await body(
                HouseholdTests.House(
                    service: service, wire: Wire(service), server: server, scope: StoreScope()))
            await service.close()
        }
    }

    private static func withPhone(_ body: (any Store) async throws -> Void) async throws {
        try await TestBackend.sqlite.withStore(try BabyMonitorSchema.schema, body)
    }

    private static func run(
        _ intent: String, _ parameters: [String: String], on store: any Store,
        inviting mirror: MirroredStore? = nil,
        answering answers: [String] = []
    ) async throws -> IntentResult {
        let lines = Lines(answers)
        var context = IntentContext(
            store: store,
            interaction: answers.isEmpty
                ? NoInteraction()
                : TextInteraction(
                    readLine: { await lines.next() }, write: { await lines.show($0) }),
            locale: Locale(identifier: "en_GB"), timeZone: .gmt, measurementSystem: .metric)
        if let mirror { context.add(HouseholdInviter { try await mirror.invite($0) }) }
        return try await BabyMonitorShortcuts.registry().run(intent, parameters, in: context)
    }

    private actor Lines {
        private var answers: [String]
        private(set) var shown = ""

        init(_ answers: [String]) { self.answers = answers }

        func next() -> String? { answers.isEmpty ? nil : answers.removeFirst() }
        func show(_ text: String) { shown += text }
    }

    private static func refusal(_ body: () async throws -> Void) async -> BabyMonitorError? {
        do { try await body() } catch { return error as? BabyMonitorError }
        return nil
    }

    @Test("who has logged a feed is shown beside it, on every phone")
    func loggers() async throws {
        try await Self.withHouse { house in
            try await Self.withPhone { mias in
                try await Self.withPhone { bens in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    let baby = try await Dashboard(store: mias).addBaby(named: "Zoe")
                    try await mia.exchange()
                    let ben = try await house.join(bens, as: "Ben", .member)
                    try await ben.exchange()
                    for (store, day) in [(mias, 1.0), (bens, 2)] {
                        let time = Date(timeIntervalSince1970: day * 86_400)
                        try await Dashboard(store: store, now: { time }).logDiaperChange(baby.id)
                    }
                    for store in [mia, ben, mia] { try await store.exchange() }
                    _ = try await mia.household()
                    for store in [mias, bens] {
                        let history = HistoryService(store: store)
                        let entries = try await history.page().entries
                        let names = try await history.loggers(of: entries)
                        #expect(entries.map { names[$0.id] } == ["Ben", "Mia"])
                    }
                    let bensID = try #require(try await bens.membership()?.household?.me)
                    try await mia.revoke(member: bensID)
                    _ = try await mia.household()
                    let history = HistoryService(store: mias)
                    let entries = try await history.page().entries
                    let names = try await history.loggers(of: entries)
                    #expect(entries.map { names[$0.id] } == ["a former member", "Mia"])
                    await mia.end()
                    await ben.end()
                }
            }
        }
    }

    @Test("a reader's intents and actions are refused with a sentence, and write nothing")
    func reader() async throws {
        try await Self.withHouse { house in
            try await Self.withPhone { mias in
                try await Self.withPhone { grandmas in
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    let dashboard = Dashboard(store: mias)
                    let baby = try await dashboard.addBaby(named: "Zoe")
                    let type = try await dashboard.addEventType(named: "Bath", emoji: "🛁")
                    try await dashboard.startFeeding(baby.id)
                    try await mia.exchange()
                    let grandma = try await house.join(grandmas, as: "Grandma", .reader)
                    try await grandma.exchange()
                    await grandma.end()
                    let before = try await grandmas.read { try $0.historyToken() }
                    let intents: [(String, [String: String])] = [
                        ("StartFeeding", ["baby": "Zoe"]),
                        ("FinishFeeding", ["baby": "Zoe", "amount": "90 ml"]),
                        ("UpdateDiaperTime", ["baby": "Zoe"]),
                        ("LogCustomEvent", ["baby": "Zoe", "eventType": "Bath"]),
                    ]
                    for (intent, parameters) in intents {
                        let refusal = await Self.refusal {
                            _ = try await Self.run(intent, parameters, on: grandmas)
                        }
                        #expect(refusal?.code == .notPermitted, "\(intent)")
                        #expect(
                            refusal?.message
                                == "You may look at this household, and not change it. Ask Mia to make you a member; "
                                + "nothing was changed.")
                    }
                    let hers = Dashboard(store: grandmas)
                    for action in [
                        { try await hers.removeBaby(baby.id) }, { _ = try await hers.cancelFeeding(baby.id) },
                        { try await hers.removeEventType(type.id) },
                        { _ = try await hers.undoLastChange() },
                    ] {
                        #expect(await Self.refusal(action)?.code == .notPermitted)
                    }
                    #expect(try await grandmas.read { try $0.historyToken() } == before)
                    #expect(try await hers.babies().map(\.name) == ["Zoe"])
                    let refusal = await Self.refusal {
                        _ = try await Self.run("InviteMember", [:], on: grandmas, answering: ["yes"])
                    }
                    #expect(refusal?.message == "Only Mia may invite others; nothing was changed.")
                    await mia.end()
                }
            }
        }
    }

    @Test("an invitation is made only once it is confirmed")
    func inviting() async throws {
        try await Self.withHouse { house in
            try await Self.withPhone { mias in
                try await Self.withPhone { bens in
                    let outside = await Self.refusal {
                        _ = try await Self.run("InviteMember", [:], on: mias, answering: ["yes"])
                    }
                    #expect(outside?.code == .notPermitted)
                    let mia = try await house.join(mias, as: "Mia", .owner)
                    try await mia.exchange()
                    for (answers, code) in [
                        ([], IntentError.Code.needsConfirmation), (["no"], .declined),
                        (["perhaps", "no"], .declined), (["perhaps", "so", "or"], .invalidValue),
                    ] {
                        await #expect {
                            _ = try await Self.run(
                                "InviteMember", ["role": "reader"], on: mias, inviting: mia,
                                answering: answers)
                        } throws: {
                            ($0 as? IntentError)?.code == code
                        }
                    }
                    #expect(try await mia.household().invitations.isEmpty)
                    let result = try await Self.run(
                        "InviteMember", ["role": "reader"], on: mias, inviting: mia, answering: ["yes"])
                    let link = try HouseholdLink(try #require(result.value as? String))
                    #expect(result.dialog?.text.contains(link.text) == true)
                    let ben = try await house.join(bens, by: link, as: "Ben")
                    #expect(try await ben.household().ownMember?.role == .reader)
                    await ben.end()
                    await mia.end()
                }
            }
        }
    }
}
