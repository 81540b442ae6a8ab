internal import Foundation
internal import Switchyard

/// Makes faults one at a time, and reports which of them a suite of tests finds.
///
/// ```swift
/// let report = try await FaultRun(MyHarness()).report()
/// print(report)              // each fault with the test that found it
/// #expect(report.score >= 0.95)
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
    public init(
        _ harness: any ConformanceHarness, faults: [Fault] = Fault.all, checks: [Check] = Self.suite
    ) {
        self.harness = harness
        self.faults = faults.filter { $0.needs.map { harness.limitations[$0] == nil } ?? true }
        self.checks = checks
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

    /// Makes each fault and runs the tests until one fails: those of its chapter first, the fastest of them
    /// before the others.
    ///
    /// As many faults run in parallel as the machine has processors.
    ///
    /// - Returns: Which test found each fault.
    /// - Throws: `ConformanceFailure` if a test fails without a fault, so that it cannot detect one;
    ///   `CancellationError`.
    public func report() async throws -> FaultReport {
        guard !faults.isEmpty else { return FaultReport(findings: []) }
        let sorted = try await quickestFirst()
        return try await withThrowingTaskGroup(of: (Int, FaultReport.Finding).self) { group in
            var findings = [FaultReport.Finding?](repeating: nil, count: faults.count)
            for (number, fault) in faults.enumerated() {
                if number >= ProcessInfo.processInfo.activeProcessorCount,
                    let (finished, finding) = try await group.next()
                {
                    findings[finished] = finding
                }
                group.addTask { (number, try await find(fault, by: sorted)) }
            }
            for try await (finished, finding) in group { findings[finished] = finding }
            return FaultReport(findings: findings.compactMap(\.self))
        }
    }

    /// Makes one fault and runs the tests until one fails.
    private func find(
        _ fault: Fault, by checks: [(check: Check, bound: Duration)]
    ) async throws -> FaultReport.Finding {
        let harness = FaultyHarness(harness, fault: fault)
        let ownFirst =
            checks.filter { $0.check.name.hasPrefix(fault.chapter) }
            + checks.filter { !$0.check.name.hasPrefix(fault.chapter) }
        for (check, bound) in ownFirst {
            do { try await check.body(harness, bound) } catch {
                // A cancelled test fails too, but has not found the fault.
                try Task.checkCancellation()
                return FaultReport.Finding(fault: fault, check: check.name, message: "\(error)")
            }
        }
        return FaultReport.Finding(fault: fault, check: nil, message: nil)
    }

    /// The tests, sorted by how long they take without a fault, which they must pass.
    ///
    /// With a fault, a test may take many times as long before it counts as hanging.
    private func quickestFirst() async throws -> [(check: Check, bound: Duration)] {
        var timed: [(check: Check, time: Duration)] = []
        let sound = FaultyHarness(harness, fault: .none)
        for check in checks {
            let clock = ContinuousClock()
            let begin = clock.now
            do { try await check.body(sound, .seconds(600)) } catch {
                throw ConformanceFailure(
                    requirement: check.name, backend: sound.name, subject: "a run without a fault",
                    expected: "no failure", found: "\(error)")
            }
            timed.append((check, clock.now - begin))
        }
        return timed.sorted { $0.time < $1.time }.map { ($0.check, max(.seconds(30), $0.time * 20)) }
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
    }

    /// Creates a report.
    public init(findings: [Finding]) { self.findings = findings }

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
