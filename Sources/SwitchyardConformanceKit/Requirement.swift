public import SwitchyardCore

/// One requirement of the contract that every backend meets, with its test.
public struct Requirement: Sendable, CustomStringConvertible {
    /// The requirement's number in the contract, such as `V9`.
    public let number: String
    /// The requirement in a sentence.
    public let subject: String
    /// The capability that the requirement needs to apply, if any.
    public let needs: StoreCapability?
    /// Where the requirement is written.
    let place: SourceLine
    let body: @Sendable (Contract) async throws -> Void

    package init(
        _ number: String, _ subject: String, needs: StoreCapability? = nil, fileID: String = #fileID,
        line: Int = #line, _ body: @escaping @Sendable (Contract) async throws -> Void
    ) {
        self.number = number
        self.subject = subject
        self.needs = needs
        place = SourceLine(fileID, line)
        self.body = body
    }

    /// The number and the subject.
    public var description: String { "\(number): \(subject)" }

    /// Runs the test of this requirement against a backend.
    ///
    /// - Parameters:
    ///   - harness: The harness of the backend.
    ///   - bound: How long the test may take. A longer one is cancelled and fails, saying what it is waiting
    ///     for. Tests that run in parallel share the machine's processors.
    /// - Returns: Why the requirement, or a part of it, does not apply to the backend; nil if all of it was
    ///   tested and met.
    /// - Throws: `ConformanceFailure` if the backend does not meet the requirement, including for any unexpected
    ///   error of its store.
    @discardableResult
    public func verify(
        _ harness: any ConformanceHarness, within bound: Duration = .seconds(120)
    ) async throws -> String? {
        if let needs, let reason = harness.limitations[needs] { return reason }
        let contract = Contract(requirement: self, harness: harness)
        let outcome = await Bounded.run(within: bound) { [body] in
            do {
                try await body(contract)
                try await contract.requireRowsBeside()
                return Result<Void, any Error>.success(())
            } catch {
                return .failure(error)
            }
        }
        let wait = contract.waits.description
        contract.abandonSignals()
        let isDisposed: Void? = await Bounded.run(within: min(bound, .seconds(30))) {
            await contract.disposeAll()
        }
        guard let outcome else {
            throw contract.fail(
                "the time it takes", expected: "at most \(bound)",
                found:
                    "still waiting for \(wait). If the backend is only slow, pass `verify` a longer `within`")
        }
        do { try outcome.get() } catch { throw contract.failure(of: error) }
        guard isDisposed != nil else {
            throw contract.fail(
                "closing its stores", expected: "an end", found: "still waiting for \(contract.waits)")
        }
        return contract.reason
    }
}

/// Runs work that may never end.
private enum Bounded {
    /// Runs work for a limited time, then cancels it and stops waiting.
    ///
    /// A task group would wait for work that ignores its cancellation.
    ///
    /// - Returns: The result of the work; nil if it was cancelled.
    static func run<Result: Sendable>(
        within bound: Duration, _ work: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let (outcomes, ending) = AsyncStream<Result?>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let task = Task { ending.yield(await work()) }
        let clock = Task {
            try await Task.sleep(for: bound)
            ending.yield(nil)
        }
        defer {
            task.cancel()
            clock.cancel()
        }
        for await outcome in outcomes { return outcome }
        return nil
    }
}
