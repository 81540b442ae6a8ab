internal import Foundation
public import Switchyard
internal import SwitchyardCSV

extension Dashboard {
    /// All babies, by name.
    public func babies() async throws -> [BabyProfile] {
        try await store.read { try $0.babies() }
    }

    /// Adds a baby.
    ///
    /// - Parameters:
    ///   - name: The name; it is trimmed.
    ///   - feedTermMinutes: How long after the start of a feed the next one is due; one of
    ///     `FeedTerm.choices`.
    /// - Returns: The baby.
    /// - Throws: `BabyMonitorError` with code `invalidName` if the name is empty or contains control
    ///   characters, or `invalidFeedTerm`.
    @discardableResult
    public func addBaby(named name: String, feedTermMinutes: Int? = nil) async throws -> BabyProfile {
        let name = try Self.validName(name)
        let feedTerm = try feedTermMinutes.map { try FeedTerm.seconds(minutes: $0) } ?? FeedTerm.standard
        let createdAt = now()
        return try await write { transaction in
            try transaction.insert(BabyProfile(name: name, createdAt: createdAt, feedTerm: feedTerm))
        }
    }

    /// Changes the given values, and leaves the rest unchanged.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound`, `invalidName` or `invalidFeedTerm`.
    @discardableResult
    public func editBaby(
        _ id: BabyProfile.ID, name: String? = nil, feedTermMinutes: Int? = nil
    ) async throws -> BabyProfile {
        let name = try name.map { try Self.validName($0) }
        let feedTerm = try feedTermMinutes.map { try FeedTerm.seconds(minutes: $0) }
        return try await write { transaction in
            var baby = try transaction.requireBaby(id)
            baby.name = name ?? baby.name
            baby.feedTerm = feedTerm ?? baby.feedTerm
            return try transaction.update(baby)
        }
    }

    /// Removes a baby with its custom events.
    ///
    /// Its feeds and diaper changes are kept, without a baby.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound`.
    public func removeBaby(_ id: BabyProfile.ID) async throws {
        try await write { transaction in
            _ = try transaction.requireBaby(id)
            try transaction.delete(id)
        }
    }

    /// Validates a name and trims it.
    ///
    /// Names in the app's files are not validated, but imported unchanged.
    static func validName(_ name: String) throws -> String {
        let trimmed = WhiteSpace.trimmed(name)
        guard trimmed.unicodeScalars.contains(where: \.isVisible) else {
            throw BabyMonitorError(.invalidName, "A name cannot be empty; give one.")
        }
        guard !trimmed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw BabyMonitorError(
                .invalidName, "A name cannot have control characters, such as a line break; leave them out.")
        }
        return trimmed
    }
}

extension Unicode.Scalar {
    /// Whether it is visible: a zero-width space alone is not a name, although it is not white space either.
    fileprivate var isVisible: Bool {
        !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
    }
}
