internal import Foundation
internal import Switchyard

/// Makes faults one at a time, and reports which of them a suite of tests finds.
///
/// ```swift
/// let report = try await FaultRun(MyHarness()).report()
/// print(report)              // each fault with the test that found it
/// #expect(report.unfound.isEmpty)
/// ```
///
/// By default this is the public suite; add your own tests to see what they find beyond it:
/// `FaultRun.suite + [FaultRun.Check("my test") { harness in … }]`.
public struct FaultRun: Sendable {
    /// The harness of the correct backend.
    public let harness: any ConformanceHarness
    /// The faults to make.
    public let faults: [Fault]
    /// The tests that should find them.
    public let checks: [Check]
    /// The test that is known to find a fault, by the fault's name: it is run first, and the others only if it passes.
    public let knownFinders: [String: String]

    /// A test of a backend, given its harness.
    public struct Check: Sendable {
        /// The name, for the report.
        public let name: String
        let body: @Sendable (any ConformanceHarness, _ bound: Duration) async throws -> Void

        /// Creates a test, whose body throws if the backend has a fault.
        public init(
            _ name: String, _ body: @escaping @Sendable (any ConformanceHarness) async throws -> Void
        ) {
            self.init(name, bounded: { harness, _ in try await body(harness) })
        }

        init(
            _ name: String,
            bounded body: @escaping @Sendable (any ConformanceHarness, _ bound: Duration) async throws -> Void
        ) {
            self.name = name
            self.body = body
        }
    }

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - harness: The correct backend. Faults that need a capability it lacks are left out.
    ///   - faults: The faults to make.
    ///   - checks: The tests.
    ///   - knownFinders: The name of the test that is known to find a fault, by the fault's name.
    public init(
        _ harness: any ConformanceHarness, faults: [Fault] = Fault.all, checks: [Check] = Self.suite,
        knownFinders: [String: String] = [:]
    ) {
        self.harness = harness
        self.faults = faults.filter { $0.needs.map { harness.limitations[$0] == nil } ?? true }
        self.checks = checks
        self.knownFinders = knownFinders
    }

    /// The public suite: every requirement, and the differential run with a few fixed seeds against the correct
    /// backend.
    public static var suite: [Check] {
        Requirement.all.map { requirement in
            Check(requirement.number, bounded: { try await requirement.verify($0, within: $1) })
        }
            + ([1, 2, 3] as [UInt64]).map { seed in
                Check("differential run, seed \(seed)") { harness in
                    guard let faulty = harness as? FaultyHarness else { return }
                    let run = DifferentialRun([faulty.base, faulty], seed: seed, operations: 400)
                    guard try await !run.agrees() else { return }
                    throw ConformanceFailure(
                        requirement: "the differential run with seed \(seed)", backend: harness.name,
                        subject: "the answers", expected: "those of \(faulty.base.name)", found: "others")
                }
            }
    }

    /// Makes each fault and runs the tests until one fails: the one that is known to find it, then those of its chapter, the
    /// fastest of them before the others.
    ///
    /// As many faults run in parallel as the machine has processors.
    ///
    /// - Returns: Which test found each fault.
    /// - Throws: `ConformanceFailure` if a test fails without a fault, so that it cannot detect one;
    ///   `CancellationError`.
    public func report() async throws -> FaultReport {
        guard !faults.isEmpty else { return FaultReport(findings: []) }
        let sound = SoundRuns(of: FaultyHarness(harness, fault: .none))
        return try await withThrowingTaskGroup(of: (Int, FaultReport.Finding).self) { group in
            var findings = [FaultReport.Finding?](repeating: nil, count: faults.count)
            for (number, fault) in faults.enumerated() {
                if number >= ProcessInfo.processInfo.activeProcessorCount,
                    let (finished, finding) = try await group.next()
                {
                    findings[finished] = finding
                }
                group.addTask { (number, try await find(fault, sound)) }
            }
            for try await (finished, finding) in group { findings[finished] = finding }
            return FaultReport(findings: findings.compactMap(\.self))
        }
    }

    /// Makes one fault and runs the tests until one fails.
    private func find(_ fault: Fault, _ sound: SoundRuns) async throws -> FaultReport.Finding {
        let known = knownFinders[fault.name]
        if let check = checks.first(where: { $0.name == known }),
            let message = try await message(of: check, after: sound.time(of: check), fault)
        {
            return FaultReport.Finding(fault: fault, check: check.name, message: message, knownFinder: known)
        }
        var timed: [(check: Check, time: Duration)] = []
        for check in checks where check.name != known {
            timed.append((check, try await sound.time(of: check)))
        }
        timed.sort { $0.time < $1.time }
        let ownFirst =
            timed.filter { $0.check.name.hasPrefix(fault.chapter) }
            + timed.filter { !$0.check.name.hasPrefix(fault.chapter) }
        for (check, time) in ownFirst {
            guard let message = try await message(of: check, after: time, fault) else { continue }
            return FaultReport.Finding(fault: fault, check: check.name, message: message, knownFinder: known)
        }
        return FaultReport.Finding(fault: fault, check: nil, message: nil, knownFinder: known)
    }

    /// The message with which a test fails on a backend with the fault; nil if it passes.
    ///
    /// It may take many times as long as without the fault before it counts as hanging.
    private func message(of check: Check, after time: Duration, _ fault: Fault) async throws -> String? {
        let bound = max(.seconds(30), time * 20)
        do { try await check.body(FaultyHarness(harness, fault: fault), bound) } catch {
            // A cancelled test fails too, but has not found the fault.
            try Task.checkCancellation()
            return "\(error)"
        }
        return nil
    }

    /// The runs of the tests without a fault, which they must pass; each test is run once, when it is first needed.
    private actor SoundRuns {
        private let harness: FaultyHarness
        private var runs: [String: Task<Duration, any Error>] = [:]

        init(of harness: FaultyHarness) { self.harness = harness }

        /// How long a test takes.
        func time(of check: Check) async throws -> Duration {
            if let run = runs[check.name] { return try await run.value }
            let last = runs.values.map(\.self)
            let run = Task { [harness] in
                // One at a time, so that each is timed alone.
                for other in last { _ = await other.result }
                let begin = ContinuousClock.now
                do { try await check.body(harness, .seconds(600)) } catch {
                    throw ConformanceFailure(
                        requirement: check.name, backend: harness.name, subject: "a run without a fault",
                        expected: "no failure", found: "\(error)")
                }
                return ContinuousClock.now - begin
            }
            runs[check.name] = run
            return try await run.value
        }
    }
}

/// Which faults a suite found, and with which tests.
public struct FaultReport: Sendable, CustomStringConvertible {
    /// One finding for each fault that was made.
    public let findings: [Finding]

    /// The result for one fault.
    public struct Finding: Sendable {
        /// The fault.
        public let fault: Fault
        /// The test that found it; nil if none did.
        public let check: String?
        /// The test's failure message.
        public let message: String?
        /// The test that was known to find it; nil if none was.
        public let knownFinder: String?
    }

    /// Creates a report.
    public init(findings: [Finding]) { self.findings = findings }

    /// The faults that another test found than the one that was known to.
    public var movedOn: [Finding] { findings.filter { $0.check != nil && $0.check != $0.knownFinder } }

    /// The faults that no test found.
    public var unfound: [Fault] { findings.filter { $0.check == nil }.map(\.fault) }

    /// The share of the faults that were found, from 0 to 1.
    public var score: Double {
        findings.isEmpty ? 0 : Double(findings.count - unfound.count) / Double(findings.count)
    }

    /// Each fault with the test that found it, then those not found, then the score.
    public var description: String {
        let width = findings.map(\.fault.name.count).max() ?? 0
        func line(_ finding: Finding) -> String {
            let name = finding.fault.name
            return name + String(repeating: " ", count: width - name.count) + "  "
                + (finding.check ?? "NOT FOUND: \(finding.fault.summary)")
        }
        let found = findings.count - unfound.count
        return (findings.filter { $0.check != nil } + findings.filter { $0.check == nil }).map(line)
            .joined(separator: "\n")
            + "\n\(found) of \(findings.count) faults found, \((score * 1_000).rounded() / 10) %"
    }
}
