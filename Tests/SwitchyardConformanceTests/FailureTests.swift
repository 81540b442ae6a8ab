import Foundation
import MemoryStore
import Switchyard
import SwitchyardConformance
import SwitchyardCore
import Synchronization
import Testing

@testable import SwitchyardConformanceKit

@Suite("Failures of the conformance suite")
struct FailureTests {
    @Test("an unexpected error of a store is a failure of the backend and the requirement")
    func storeError() async throws {
        let failure = try await failure("V1", RefusingHarness())
        #expect(
            failure.description.hasPrefix(
                "refusing does not meet V1: text is kept byte for byte and compared by its bytes — a write: expected no "
                    + "error, found inputOutput: The disk is gone. (TextRequirements.swift:"))
    }

    @Test(
        "an unexpected error names the step that threw, the last that went well, and the requirement's line")
    func step() async throws {
        // Not inside the macro, which has one line.
        let line = #line + 1
        let requirement = Requirement("X1", "rows are kept") { contract in
            let store = try await contract.makeStore()
            try contract.expectEqual(1, 1, "the first step")
            try await store.close()
            _ = try await store.read { try $0.count(Ticket.all) }
        }
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await requirement.verify(MemoryHarness())
        }
        #expect(failure?.subject == "a read, after “the first step”")
        #expect(
            failure?.location == "FailureTests.swift:\(line + 2); the requirement: FailureTests.swift:\(line)"
        )
    }

    @Test(
        "a body that never runs is a failure, not an endless wait",
        arguments: ["T1", "T11", "T12+busy"])
    func throwsEarly(_ number: String) async throws {
        let failure = try await failure(number, RefusingHarness())
        #expect(failure.backend == "refusing")
        #expect(failure.requirement.hasPrefix("\(number): "))
        #expect(failure.found.contains("inputOutput: The disk is gone."))
    }

    @Test("T11 says what it waited for when the body does not run")
    func cancellation() async throws {
        let failure = try await failure("T11", RefusingHarness())
        #expect(
            failure.description.hasPrefix(
                "refusing does not meet T11: a cancelled task's transaction is undone, and the store goes on — a "
                    + "transaction's work: expected a moment when a transaction's work has begun, found it threw "
                    + "inputOutput: The disk is gone. ("))
    }

    @Test("a store that never answers ends the requirement at its time limit, with what it waits for")
    func hanging() async throws {
        let requirement = try #require(Requirement.all.first { $0.number == "V10" })
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await requirement.verify(HangingHarness(), within: .milliseconds(300))
        }
        #expect(
            failure?.description.hasPrefix(
                "hanging does not meet V10: a calendar day has no zone and no time — the time it takes: "
                    + "expected at most 0.3 seconds, found still waiting for a write. If the backend is only slow, "
                    + "pass `verify` a longer `within` (") == true)
    }

    @Test("a moment that never comes is reported by its name")
    func moment() async throws {
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await Requirement("X1", "something happens") { contract in
                _ = await contract.signal("the moon is full").wait()
            }.verify(MemoryHarness(), within: .milliseconds(100))
        }
        #expect(
            failure?.found.hasPrefix("still waiting for the moment when the moon is full. If the backend")
                == true)
    }

    @Test("a failure prints different values differently")
    func values() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        #expect(
            try await text(date, date + 0.000_001)
                == "expected 2023-11-14T22:13:20.2500010Z, found 2023-11-14T22:13:20.2500000Z")
        #expect(try await text(["\u{E9}"], ["e"]) == #"expected ["e"], found ["\u{00E9}"]"#)
        #expect(try await text(Data([0, 255]), Data()) == "expected 0 bytes , found 2 bytes 00ff")
        #expect(try await text(Optional("nil"), nil) == #"expected nil, found "nil""#)
        #expect(try await text([Int?](), [nil]) == "expected [nil], found []")
        #expect(
            try await text(Array(0...40), Array(0...41)).hasSuffix("38, 39, … 41 in all]"),
            "a long list is cut")
    }

    @Test("a row that differs in one attribute is reported by row and attribute")
    func rows() async throws {
        let entity = Entity(
            "Thing", attributes: [Attribute("id", type: .int), Attribute("size", type: .double)])
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await Requirement("X1", "rows are whole") { contract in
                try contract.expectRows(
                    [[.int(1), .double(1)], [.int(2), .double(-0.0)]],
                    [[.int(1), .double(1)], [.int(2), .double(0)]], of: entity, "two rows")
            }.verify(MemoryHarness())
        }
        #expect(
            failure?.description.hasPrefix(
                "memory does not meet X1: rows are whole — two rows, row 2 of 2, size: expected double(0.0), found "
                    + "double(-0.0) (FailureTests.swift:") == true)
    }

    /// What is told of two values that are not the same.
    private func text<Value: Equatable & Sendable>(_ found: Value, _ expected: Value) async throws -> String {
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await Requirement("X1", "values are kept") { contract in
                try contract.expectEqual(found, expected, "a value")
            }.verify(MemoryHarness())
        }
        let start = "memory does not meet X1: values are kept — a value: "
        #expect(failure?.description.hasPrefix(start) == true)
        let told = String(failure?.description.dropFirst(start.count) ?? "")
        return told.firstRange(of: " (FailureTests.swift:").map { String(told[..<$0.lowerBound]) } ?? told
    }

    private func failure(
        _ number: String, _ harness: any ConformanceHarness
    ) async throws -> ConformanceFailure {
        let requirement = try #require(Requirement.all.first { $0.number == number })
        return try #require(
            await #expect(throws: ConformanceFailure.self) { try await requirement.verify(harness) })
    }
}

/// A backend whose stores refuse every transaction before its body is run.
private struct RefusingHarness: ConformanceHarness {
    let name = "refusing"

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        BrokenStore(schema) { throw StoreError(.inputOutput, "The disk is gone.") }
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention { .done }
}

/// A backend whose stores never answer, and take no notice of cancellation.
private struct HangingHarness: ConformanceHarness {
    let name = "hanging"

    func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
        let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        return BrokenStore(schema) {
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
        }
    }

    func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention { .done }
}

/// A store in memory that does something else before each transaction.
private final class BrokenStore: WrappingStore {
    let base: any Store
    private let before: @Sendable () async throws -> Void

    init(_ schema: Schema, before: @escaping @Sendable () async throws -> Void) {
        base = MemoryStore(schema: schema)
        self.before = before
    }

    func read<Result: Sendable>(
        _ options: ReadOptions, _ body: @escaping @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await before()
        return try await base.read(options, body)
    }

    func write<Result: Sendable>(
        _ options: WriteOptions, _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await before()
        return try await base.write(options, body)
    }
}
