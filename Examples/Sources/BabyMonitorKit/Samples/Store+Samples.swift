public import Foundation
public import Switchyard

extension Store {
    /// Fills the store with sample data, in one transaction.
    ///
    /// - Throws: A `StoreError`; nothing was inserted then.
    public func seed(_ samples: SampleData) async throws {
        try await write { try samples.insert(in: $0) }
    }

    /// Fills an empty store for previews: two babies, a week of logs, and the first baby being fed for the last
    /// twelve minutes.
    ///
    /// - Parameter now: The current time in the preview.
    /// - Returns: The babies.
    /// - Throws: A `StoreError`; nothing was inserted then.
    @discardableResult
    public func seedPreview(now: Date) async throws -> [BabyProfile] {
        let twelveMinutes: TimeInterval = 720
        let samples = try SampleData(days: 7, endingAt: now)
        try await write { transaction in
            try samples.insert(in: transaction)
            try transaction.insert(
                FeedSession(startTime: now.addingTimeInterval(-twelveMinutes), profile: samples.babies[0].id))
        }
        return samples.babies
    }
}
