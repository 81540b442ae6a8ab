import Switchyard
import SwitchyardCore
import Synchronization
import Testing

@Suite("Retry of lost transactions")
struct RetryPolicyTests {
    private let waits = Waits()

    private final class Waits: Sendable {
        let durations = Mutex<[Duration]>([])
    }

    private func policy(attempts: Int) -> RetryPolicy {
        let waits = waits
        return RetryPolicy(
            attempts: attempts, baseDelay: .milliseconds(10), maximumDelay: .milliseconds(40),
            sleep: { duration in waits.durations.withLock { $0.append(duration) } }, random: { 0.5 })
    }

    @Test("a serialization failure is retried, after waits that double up to the longest")
    func retries() async throws {
        let attempts = try await policy(attempts: 5).run { attempt in
            if attempt < 5 { throw StoreError(.serialization, "lost") }
            return attempt
        }
        #expect(attempts == 5)
        #expect(
            waits.durations.withLock { $0 } == [
                .milliseconds(5), .milliseconds(10), .milliseconds(20), .milliseconds(20),
            ])
    }

    @Test("a suspension is left to the caller, since no wait ends it")
    func suspended() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await policy(attempts: 3).run { _ in throw StoreError(.suspended, "asleep") }
        }
        #expect(error?.isRetryable == true)
        #expect(waits.durations.withLock { $0.isEmpty })
    }

    @Test("the last error is thrown when the attempts are used up, and others at once")
    func bounded() async throws {
        await #expect(throws: StoreError.self) {
            try await policy(attempts: 3).run { _ in throw StoreError(.busy, "locked") }
        }
        #expect(waits.durations.withLock { $0.count } == 2)
        await #expect(throws: StoreError.self) {
            try await policy(attempts: 3).run { _ in throw StoreError(.unique, "twice") }
        }
        #expect(waits.durations.withLock { $0.count } == 2)
    }
}
