public import Switchyard

extension Dashboard {
    /// Logs a diaper change.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound`.
    @discardableResult
    public func logDiaperChange(
        _ baby: BabyProfile.ID, type: DiaperType = .pee, memo: String? = nil
    ) async throws -> DiaperChange {
        let time = now()
        return try await write { transaction in
            _ = try transaction.requireBaby(baby)
            return try transaction.insert(
                DiaperChange(timestamp: time, type: type, memoText: memo, profile: baby))
        }
    }

    /// Logs an event of a user-defined type, with the type's current name and emoji.
    ///
    /// - Throws: `BabyMonitorError` with code `babyNotFound` or `eventTypeNotFound`.
    @discardableResult
    public func logCustomEvent(
        _ baby: BabyProfile.ID, type: CustomEventType.ID, memo: String? = nil
    ) async throws -> CustomEvent {
        let time = now()
        return try await write { transaction in
            _ = try transaction.requireBaby(baby)
            let type = try transaction.requireEventType(type)
            return try transaction.insert(
                CustomEvent(
                    timestamp: time, eventTypeName: type.name, eventTypeEmoji: type.emoji, memoText: memo,
                    profile: baby))
        }
    }

    /// Adds a type of event.
    ///
    /// - Throws: `BabyMonitorError` with code `invalidName` if the name is empty.
    @discardableResult
    public func addEventType(named name: String, emoji: String) async throws -> CustomEventType {
        let name = try Self.validName(name)
        let createdAt = now()
        return try await write { transaction in
            try transaction.insert(CustomEventType(name: name, emoji: emoji, createdAt: createdAt))
        }
    }

    /// Changes a type of event.
    ///
    /// Events already logged keep the old name and emoji.
    ///
    /// - Throws: `BabyMonitorError` with code `invalidName` or `eventTypeNotFound`.
    @discardableResult
    public func editEventType(
        _ id: CustomEventType.ID, name: String? = nil, emoji: String? = nil
    ) async throws -> CustomEventType {
        let name = try name.map { try Self.validName($0) }
        return try await write { transaction in
            var type = try transaction.requireEventType(id)
            type.name = name ?? type.name
            type.emoji = emoji ?? type.emoji
            return try transaction.update(type)
        }
    }

    /// Removes a type of event.
    ///
    /// Events already logged are kept.
    ///
    /// - Throws: `BabyMonitorError` with code `eventTypeNotFound`.
    public func removeEventType(_ id: CustomEventType.ID) async throws {
        try await write { transaction in
            _ = try transaction.requireEventType(id)
            try transaction.delete(id)
        }
    }

    /// The types of events, in order of creation.
    public func eventTypes() async throws -> [CustomEventType] {
        try await store.read { try $0.fetch(CustomEventType.sorted(by: \.createdAt)) }
    }
}

extension ReadTransaction {
    /// The event type with this id.
    ///
    /// - Throws: `BabyMonitorError` with code `eventTypeNotFound` if no type has it.
    func requireEventType(_ id: CustomEventType.ID) throws -> CustomEventType {
        guard let type = try find(id) else {
            throw BabyMonitorError(.eventTypeNotFound, "There is no event type with the id \(id).")
        }
        return type
    }
}
