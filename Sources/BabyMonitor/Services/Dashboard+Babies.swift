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
    ///   - name: The name; white space around it is dropped.
    ///   - feedTermMinutes: How long after the start of a feed the next one is due; one of
    ///     `FeedTerm.choices`.
    /// - Returns: The baby.
    /// - Throws: `BabyMonitorError` with code `invalidName` if the name is empty or holds control
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

    /// Changes what is given, and leaves the rest.
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
    /// Its feeds and diaper changes stay, as those of no baby.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound`.
    public func removeBaby(_ id: BabyProfile.ID) async throws {
        try await write { transaction in
            _ = try transaction.requireBaby(id)
            try transaction.delete(id)
        }
    }

    /// The name without the white space around it.
    ///
    /// Files of the app can hold others, which are imported as they are.
    static func validName(_ name: String) throws -> String {
        let trimmed = WhiteSpace.trimmed(name)
        guard trimmed.unicodeScalars.contains(where: \.isVisible) else {
            throw BabyMonitorError(.invalidName, "A name cannot be empty; give one.")
        }
        guard !trimmed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw BabyMonitorError(
                .invalidName, "A name cannot hold control characters, such as a line break; leave them out.")
        }
        return trimmed
    }
}

extension Unicode.Scalar {
    /// Whether it leaves a mark by itself: a zero-width space is no name, although it is no white space either.
    fileprivate var isVisible: Bool {
        !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
    }
}
