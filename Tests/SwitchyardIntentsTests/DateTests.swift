import Foundation
import SwitchyardIntents
import Testing

@Suite("Dates as text")
struct DateTests {
    private func seconds(_ text: String, zone: String = "Europe/Berlin") async throws -> Double? {
        let context = IntentContext(store: try emptyStore(), timeZone: TimeZone(identifier: zone))
        guard case .value(let date) = try await Date.resolve(.text(text), in: context) else { return nil }
        return date.timeIntervalSince1970
    }

    @Test(
        "a date parameter with a zone is read in that zone",
        arguments: [
            ("2026-11-21T08:30:00Z", 1_795_249_800), ("2026-11-21T08:30:00.250Z", 1_795_249_800.25),
            ("2026-11-21T08:30:00,5z", 1_795_249_800.5), ("2026-11-21 08:30Z", 1_795_249_800),
            ("2026-11-21T09:30:00+01:00", 1_795_249_800), ("2026-11-21t03:30-0500", 1_795_249_800),
            ("2026-11-21T09:30+01", 1_795_249_800), ("1969-12-31T23:59:59Z", -1),
            ("2024-02-29T00:00:00Z", 1_709_164_800),
        ])
    func zone(text: String, seconds expected: Double) async throws {
        #expect(try await seconds(text) == expected)
    }

    @Test(
        "a date parameter without a zone is read in the context's zone",
        arguments: [
            ("2026-11-21T09:30:00", "Europe/Berlin", 1_795_249_800),
            ("2026-11-21", "Europe/Berlin", 1_795_215_600),
            ("2026-11-21", "UTC", 1_795_219_200), ("2026-07-01 12:00", "Europe/Berlin", 1_782_900_000),
            // The last hour before and the first after the change to summer time.
            ("2026-03-29T01:59:59", "Europe/Berlin", 1_774_745_999),
            ("2026-03-29T03:00:00", "Europe/Berlin", 1_774_746_000),
            // The last before the hour that comes twice, and the first after it.
            ("2026-10-25T01:59:59", "Europe/Berlin", 1_792_886_399),
            ("2026-10-25T03:00:00", "Europe/Berlin", 1_792_893_600),
        ])
    func local(text: String, zone: String, seconds expected: Double) async throws {
        #expect(try await seconds(text, zone: zone) == expected)
    }

    @Test(
        "a time that the clocks show twice or never is refused, and said to need its zone",
        arguments: [
            ("2026-10-25T02:30:00", "twice"), ("2026-10-25 02:00", "twice"),
            ("2026-03-29T02:30:00", "never"), ("2026-03-29 02:00", "never"),
        ])
    func unclear(text: String, times: String) async throws {
        let error = await #expect(throws: IntentError.self) { try await seconds(text) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.hasPrefix("The clocks show that time \(times) on that day") == true)
        #expect(try await seconds(text + "+02:00") != nil)
    }

    @Test("a day that begins at one o'clock, since the clocks skip midnight, begins then")
    func skippedMidnight() async throws {
        #expect(try await seconds("2018-11-04", zone: "America/Sao_Paulo") == 1_541_300_400)
    }

    @Test(
        "text that is not a date is refused as a parameter",
        arguments: [
            "2026-02-30", "2026-13-01", "2026-11-21T", "2026-11-21T8:30", "2026-11-21T24:00",
            "2026-11-21T08:60", "2026-11-21T08:30:61Z",
            "2026-11-21T08:30:00.Z", "2026-11-21T08:30:00ZZ", "2026-11-21T08:30:00+1",
            "2026-11-21T08:30:00+01:0",
            "2026-11-21T08:30:00Zulu", "21.11.2026", "2026-11-21x", "now", "2026-11-2é", "éééééé",
        ])
    func refused(text: String) async {
        #expect(await #expect(throws: IntentError.self) { try await seconds(text) }?.code == .invalidValue)
    }
}
