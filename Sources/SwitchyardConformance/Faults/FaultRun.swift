internal import Foundation
internal import Switchyard

/// Makes faults one at a time and sees which of them a suite of tests finds.
///
/// ```swift
/// let report = try await FaultRun(MyHarness()).report()
/// print(report)              // each fault with the test that found it
/// #expect(report.score >= 0.95)
/// ```
///
/// The suite is the public one, unless told otherwise; add tests of your own to see what they find beyond it:
/// `FaultRun.suite + [FaultRun.Check("my test") { harness in … }]`.
public struct FaultRun: Sendable {
    /// The harness of the sound backend.
    public let harness: any ConformanceHarness
    /// The faults to make.
    public let faults: [Fault]
    /// The tests that are to find them.
    public let checks: [Check]

    /// A test of whatever backend a harness leads to.
    public struct Check: Sendable {
        /// The name, for the report.
        public let name: String
        let body: @Sendable (any ConformanceHarness, _ bound: Duration) async throws -> Void

        /// Describes a test, which throws where the backend has a fault.
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

    /// Describes a run.
    ///
    /// - Parameters:
    ///   - harness: The sound backend. A fault that needs what it cannot do is left out.
    ///   - faults: The faults.
    ///   - checks: The tests.
    public init(
        _ harness: any ConformanceHarness, faults: [Fault] = Fault.all, checks: [Check] = Self.suite
    ) {
        self.harness = harness
        self.faults = faults.filter { $0.needs.map { harness.limitations[$0] == nil } ?? true }
        self.checks = checks
    }

    /// The public suite: every requirement, and the differential run of a few fixed seeds against the sound
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

    /// Makes each fault and runs the tests until one fails: those of its chapter first, and of
    /// these the quickest.
    ///
    /// As many faults are tried at a time as the machine has processors.
    ///
    /// - Returns: What found each fault.
    /// - Throws: `ConformanceFailure` if a test fails although no fault was made, so that it cannot tell one;
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
                // A test that is cancelled fails as well, and has found nothing.
                try Task.checkCancellation()
                return FaultReport.Finding(fault: fault, check: check.name, message: "\(error)")
            }
        }
        return FaultReport.Finding(fault: fault, check: nil, message: nil)
    }

    /// The tests in the order of the time that they take where there is no fault, which they must pass; with
    /// a fault a test may take many times as long before it counts as one that hangs.
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

/// Which faults a suite found, and by what.
public struct FaultReport: Sendable, CustomStringConvertible {
    /// One for each fault that was made.
    public let findings: [Finding]

    /// What became of one fault.
    public struct Finding: Sendable {
        /// The fault.
        public let fault: Fault
        /// The test that found it; nil if none did.
        public let check: String?
        /// What the test said.
        public let message: String?
    }

    /// Describes findings.
    public init(findings: [Finding]) { self.findings = findings }

    /// The faults that no test found.
    public var unfound: [Fault] { findings.filter { $0.check == nil }.map(\.fault) }

    /// The share of the faults that were found, from 0 to 1.
    public var score: Double {
        findings.isEmpty ? 0 : Double(findings.count - unfound.count) / Double(findings.count)
    }

    /// Each fault with what found it, then those that nothing found, then the score.
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
