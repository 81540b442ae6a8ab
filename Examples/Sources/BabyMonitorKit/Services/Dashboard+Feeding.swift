internal import Foundation
public import Switchyard

extension Dashboard {
    /// Starts feeding a baby.
    ///
    /// If a feed of that baby is in progress, it is deleted.
    ///
    /// - Returns: The new feed.
    /// - Throws: `BabyMonitorError` with code `babyNotFound`.
    @discardableResult
    public func startFeeding(_ baby: BabyProfile.ID) async throws -> FeedSession {
        let start = now()
        return try await write { transaction in
            _ = try transaction.requireBaby(baby)
            try transaction.delete(WriteTransaction.inProgress(baby))
            return try transaction.insert(FeedSession(startTime: start, profile: baby))
        }
    }

    /// Finishes a baby's feed in progress.
    ///
    /// - Parameters:
    ///   - baby: The baby.
    ///   - amount: How much was fed, in the given unit; nil if unknown.
    ///   - feedType: What was fed.
    /// - Returns: The finished feed; nil if none was in progress, in which case nothing is written.
    /// - Throws: `StoreError` with code `valueNotRepresentable` if the amount is NaN.
    @discardableResult
    public func finishFeeding(
        _ baby: BabyProfile.ID, amount: (value: Double, unit: VolumeUnit)?, feedType: FeedType
    ) async throws -> FeedSession? {
        let end = now()
        return try await write { transaction in
            guard var session = try transaction.inProgressFeedSession(of: baby) else { return nil }
            session.endTime = end
            session.amountValue = amount?.value
            session.amountUnitSymbol = amount?.unit.symbol
            session.feedType = feedType
            return try transaction.update(session)
        }
    }

    /// Cancels a baby's feed in progress, as if it had never begun.
    ///
    /// - Returns: Whether one was in progress; if not, nothing is written.
    @discardableResult
    public func cancelFeeding(_ baby: BabyProfile.ID) async throws -> Bool {
        let count = try await write { transaction in
            try transaction.delete(WriteTransaction.inProgress(baby))
        }
        return count > 0
    }
}
