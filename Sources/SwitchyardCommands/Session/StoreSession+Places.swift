internal import MemoryStore
internal import SwitchyardConfiguration
internal import SwitchyardCore

extension StoreSession {
    /// The place that a call and the configuration select.
    ///
    /// A store that is made there without a plan gets the schema to create.
    static func place(
        _ call: StoreCall, migrating: Bool = true, creating schema: Schema? = nil
    ) async throws -> StorePlace {
        let (configuration, _) = try await configuration(call, readers: placeReaders)
        return try await place(call, configuration, migrating: migrating, creating: schema)
    }

    static func place(
        _ call: StoreCall, _ configuration: StoreConfiguration, migrating: Bool = true,
        creating schema: Schema? = nil
    ) async throws -> StorePlace {
        let logger = call.logger(App.commandName)
        return StorePlace(configuration.location) { opening in
            var opening = opening
            opening.logger = logger
            (opening.author, opening.device) = (CommandProgram.author, deviceName)
            return try await open(configuration, opening, migrating: migrating, creating: schema)
        }
    }

    /// The place where the data is, from which it can be switched to another one, and the records of the app's stores.
    ///
    /// A store that the call names is that one; the configured one is where it was switched to.
    ///
    /// - Throws: `configuration` if a URL or a setting is wrong; what reading the store's marker throws.
    static func source(
        _ call: StoreCall
    ) async throws -> (place: StorePlace, places: PlaceRegistry?, configured: String) {
        let (configuration, container) = try await configuration(call, readers: placeReaders)
        try requireLasting(configuration)
        let places = places(container)
        var place = try await place(call, configuration)
        let configured = place.location
        guard call.store == nil else { return (place, places, configured) }
        place = try await located(place, places, call)
        // Each successor has a higher generation, so that this ends whatever the markers say.
        var generation: Int64 = 0
        while let marker = try await place.marker(), marker.switching?.state == .committed,
            marker.role == .superseded, marker.generation > generation, let successor = marker.successor
        {
            generation = marker.generation
            place = try await self.place(call.selecting(successor))
        }
        return (place, places, configured)
    }

    /// The database that a call names, if its backend has no stores, and the command has no models for the rows.
    ///
    /// - Throws: `configuration` if a URL or a setting is wrong.
    static func databaseToConvert(_ call: StoreCall) async throws -> (any ForeignDatabase)? {
        try databaseToConvert(try await configuration(call).configuration)
    }

    /// The place to which data is moved.
    ///
    /// - Parameters:
    ///   - url: The URL of the place.
    ///   - schema: The schema of the data, which a store that is made there without a plan gets.
    ///   - call: The call.
    /// - Returns: The place.
    /// - Throws: `configuration` if the URL or a setting is wrong; `invalidArgument` if it has a password.
    static func target(_ url: String, creating schema: Schema?, _ call: StoreCall) async throws -> StorePlace
    {
        guard Redaction.redact(url) == url else {
            throw StoreError(
                .invalidArgument,
                "The URL has a password, which is not kept with the place, and which others may see while the command runs. "
                    + "Leave it out, and put it into the setting store.postgres.password, by the environment or a file."
            )
        }
        var target = call.selecting(App.storeURL(url))
        target.storeArgument = "--to"
        let (configuration, _) = try await configuration(target, readers: placeReaders)
        try requireLasting(configuration)
        return try await place(call, configuration, creating: schema)
    }

    /// The call for the place where the app's own store is known to be now; unchanged if it names a store.
    ///
    /// - Throws: `configuration` if a setting is wrong; as reading the record.
    static func located(_ call: StoreCall) async throws -> StoreCall {
        guard call.store == nil else { return call }
        let (configuration, container) = try await configuration(call)
        let place = try await place(call, configuration)
        let found = try await located(place, places(container), call)
        return found.location == place.location ? call : call.selecting(found.location)
    }

    /// Where the store of a place is, as the records say and its own marker does not deny.
    private static func located(
        _ place: StorePlace, _ places: PlaceRegistry?, _ call: StoreCall
    ) async throws -> StorePlace {
        let other = { @Sendable (location: String) in try await self.place(call.selecting(location)) }
        let direction = try await places?.direction(
            from: place, logger: call.logger(App.commandName), other)
        guard case .elsewhere(let record) = direction else { return place }
        return try await other(record.location)
    }

    private static func requireLasting(_ configuration: StoreConfiguration) throws {
        guard configuration.backend != MemoryPlugin.scheme else {
            throw StoreError(
                .invalidArgument,
                "A store in memory ends with the command, so that nothing can be moved to or from it.")
        }
    }
}
