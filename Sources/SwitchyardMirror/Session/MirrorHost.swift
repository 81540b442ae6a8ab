package import Foundation
package import SwitchyardCore

/// The store of a server, as it answers devices.
package struct MirrorHost: Sendable {
    package let store: any Store
    private let versions: ServerVersions
    private let functions: MergeFunctions
    /// The time in microseconds since 1970.
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - store: The open store.
    ///   - plan: The plan whose newest schema it has; without one, only devices of the same version are served.
    ///   - functions: The functions that the models name for merging their attributes.
    ///   - now: The time in microseconds since 1970.
    package init(
        _ store: any Store, migratedBy plan: MigrationPlan?, functions: MergeFunctions,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.store, self.functions, self.now) = (store, functions, now)
        versions = ServerVersions(store.schema, plan)
    }

    /// Makes the store a server, if it is none yet.
    ///
    /// - Returns: The identity of the store.
    /// - Throws: `invalidArgument` if it is a mirror itself, or if a function is missing; as a write.
    package func begin() async throws -> UUID {
        try functions.require(by: store.schema)
        let marker = try await store.marker()
        guard marker.mirror?.isDevice != true else {
            throw StoreError(
                .invalidArgument,
                "The store at \(store.info.location) is a mirror itself. Name the server that it mirrors; nothing was changed."
            )
        }
        if marker.mirror == nil {
            try await store.keepHistory()
            try await store.setMirrorRole(.server)
        }
        return marker.storeID
    }

    /// The schema in whose words a device speaks.
    ///
    /// - Throws: As `ServerVersions.view(of:)`.
    package func schema(of device: SchemaIdentity) throws -> Schema {
        try versions.view(of: device)?.older ?? store.schema
    }

    /// Carries out the mutations of a request and answers it, in one transaction, in which each mutation has a savepoint and a
    /// transaction of the history of its own.
    ///
    /// A request without mutations only reads.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - device: The device, which a token names better.
    ///   - scope: The household's scope.
    ///   - token: The device's token, if the household's members are to be asked; nil for a device that reaches the store
    ///     itself. Whether it may write is decided in the transaction, so that it is in one order with the end of a membership.
    ///   - parts: The first mutation, if it was sent in parts.
    /// - Returns: The answer.
    /// - Throws: `authentication` and `revoked`; as a write. Nothing was carried out then.
    package func exchange(
        _ request: ExchangeRequest, from device: MirrorDevice, in scope: StoreScope?,
        as token: MirrorToken? = nil, parts: MutationParts? = nil
    ) async throws -> ExchangeAnswer {
        guard !request.mutations.isEmpty || !request.stored.isEmpty || parts != nil else {
            return try await read(device, scope, token) { try $0.answer(request) }
        }
        let view = try versions.view(of: device.schema)
        let schema = view?.older ?? store.schema
        return try await write(scope, token.flatMap(ScopeIdentity.init), token) { [self] tx in
            let server = try server(tx, device, view, token)
            guard let token else { return try server.answer(request) }
            let household = HouseholdRecords(tx, now: now())
            if try household.isNoteDue(of: token.id) { try household.noteSeen(token.id) }
            let records = PartRecords(tx, device: token.id, now: now())
            var request = request
            if let parts {
                request.mutations.insert(try Mutation(received: try records.bytes(of: parts), schema), at: 0)
            }
            for mutation in request.mutations { try mutation.requireSound(schema) }
            let answer = try server.answer(request)
            // Without a page there is no verdict, so that the mutation comes again.
            if let parts, case .page = answer { try records.remove(parts) }
            return answer
        }
    }

    /// Compares a part of the rows with a device's.
    ///
    /// - Throws: As `exchange(_:from:in:as:)`.
    package func part(
        _ request: PartRequest, from device: MirrorDevice, in scope: StoreScope?, as token: MirrorToken? = nil
    ) async throws -> PartAnswer {
        try await read(device, scope, token) { try $0.answer(request) }
    }

    /// Answers with a page of all rows.
    ///
    /// - Throws: As `exchange(_:from:in:as:)`.
    package func rows(
        _ request: RowsRequest, from device: MirrorDevice, in scope: StoreScope?, as token: MirrorToken? = nil
    ) async throws -> ExchangeAnswer {
        try await read(device, scope, token) { try $0.page(request) }
    }

    private func read<Answer: Sendable>(
        _ device: MirrorDevice, _ scope: StoreScope?, _ token: MirrorToken?,
        _ body: @escaping @Sendable (ServerMirror) throws -> Answer
    ) async throws -> Answer {
        let view = try versions.view(of: device.schema)
        return try await store.read(Self.reading(scope, token)) { [self] tx in
            try body(try server(tx, device, view, token))
        }
    }

    private static func reading(_ scope: StoreScope?, _ token: MirrorToken?) -> ReadOptions {
        var options = ReadOptions(scopes: scope.map { [$0] })
        options.identity = token.flatMap(ScopeIdentity.init)
        return options
    }

    /// Writes on behalf of somebody.
    ///
    /// A database with row-level security does not let a stranger, or one whose membership has ended, into the queue, and
    /// does not say why: the records do.
    ///
    /// - Throws: `authentication` and `revoked`; what the body throws; as a write.
    private func write<Result: Sendable>(
        _ scope: StoreScope?, _ identity: ScopeIdentity?, _ token: MirrorToken?,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Result
    ) async throws -> Result {
        var options = WriteOptions(scope: scope)
        options.identity = identity
        do { return try await store.write(options, body) } catch let error as StoreError
            where error.code == .configuration && identity != nil
        {
            guard let token else { throw error }
            var reading = ReadOptions(scopes: scope.map { [$0] })
            reading.identity = identity
            try await store.read(reading) { [now] tx in
                let records = HouseholdRecords(tx, now: now())
                switch token.kind {
                case .device: _ = try records.identity(of: token)
                case .invitation: _ = try records.requireOpen(token)
                }
            }
            throw error
        }
    }

    private func server(
        _ transaction: ReadTransaction, _ device: MirrorDevice, _ view: VersionProjection?,
        _ token: MirrorToken?
    ) throws -> ServerMirror {
        let now = now()
        let identity = try token.map { try HouseholdRecords(transaction, now: now).identity(of: $0) }
        let device = MirrorDevice(
            id: identity?.device ?? device.id, name: identity == nil ? device.name : identity?.deviceName,
            schema: device.schema)
        return ServerMirror(
            transaction, device: device, functions: functions, now: now, versions: versions, view: view,
            mayWrite: identity?.role.mayWrite ?? true)
    }

    // MARK: The household

    /// Reads who belongs to a household, or changes it as a member of it.
    ///
    /// - Throws: `authentication` and `revoked`; what the body throws; as a write.
    package func withHousehold<Result: Sendable>(
        of token: MirrorToken,
        _ body: @escaping @Sendable (HouseholdRecords, HouseholdIdentity) throws -> Result
    ) async throws -> Result {
        try await write(token.scope, ScopeIdentity(token), token) { [now] tx in
            let records = HouseholdRecords(tx, now: now())
            return try body(records, try records.identity(of: token))
        }
    }

    /// Lets a device in by an invitation.
    ///
    /// - Throws: As `HouseholdRecords.accept(_:_:)`; as a write.
    package func join(_ token: MirrorToken, _ arrival: HouseholdRecords.Arrival) async throws -> Household {
        let identity = ScopeIdentity(arrival, in: token.scope, invitation: token)
        return try await write(token.scope, identity, token) { [now] tx in
            let records = HouseholdRecords(tx, now: now())
            return try records.household(of: try records.accept(token, arrival))
        }
    }

    /// Lets the device of a person in whom the app's own login knows.
    ///
    /// - Throws: As `HouseholdRecords.admit(_:as:_:scope:)`; as a write.
    package func admit(
        _ subject: String, as role: HouseholdRole?, _ arrival: HouseholdRecords.Arrival, in scope: StoreScope?
    ) async throws -> Household {
        let login = ScopeIdentity.Login(subject: subject, role: role?.rawValue)
        return try await write(scope, ScopeIdentity(arrival, in: scope, login: login), nil) { [now] tx in
            let records = HouseholdRecords(tx, now: now())
            return try records.household(of: try records.admit(subject, as: role, arrival, scope: scope))
        }
    }

    /// Keeps a part of a large mutation that a device of a household is going to send, or tells which ones there are.
    ///
    /// - Throws: `authentication` and `revoked`; `full` if too many wait; as a write.
    package func withParts<Result: Sendable>(
        of token: MirrorToken, _ body: @escaping @Sendable (PartRecords) throws -> Result
    ) async throws -> Result {
        try await write(token.scope, ScopeIdentity(token), token) { [now] tx in
            let now = now()
            let identity = try HouseholdRecords(tx, now: now).identity(of: token)
            return try body(
                PartRecords(tx, device: identity.device, mayWrite: identity.role.mayWrite, now: now))
        }
    }

    /// Changes who belongs to a household, as who runs the server.
    ///
    /// - Throws: What the body throws; as a write.
    package func withHousehold<Result: Sendable>(
        in scope: StoreScope?, _ body: @escaping @Sendable (HouseholdRecords) throws -> Result
    ) async throws -> Result {
        try await store.write(WriteOptions(scope: scope)) { [now] tx in
            try body(HouseholdRecords(tx, now: now()))
        }
    }

    /// Reads who belongs to a household.
    ///
    /// - Throws: `authentication` and `revoked`; as a read.
    package func household(of token: MirrorToken) async throws -> Household {
        try await store.read(Self.reading(token.scope, token)) { [now] tx in
            let records = HouseholdRecords(tx, now: now())
            return try records.household(of: try records.identity(of: token))
        }
    }

    /// The number of the last transaction of a household, as a device of it may know it.
    ///
    /// - Throws: `authentication` and `revoked`; as a read.
    package func head(of token: MirrorToken) async throws -> Int64 {
        try await store.read(Self.reading(token.scope, token)) { [now] tx in
            _ = try HouseholdRecords(tx, now: now()).identity(of: token)
            return try tx.historyToken().sequence
        }
    }
}

extension ScopeIdentity {
    /// The device that has a token; nil in a store without scopes, where a database has no rules.
    fileprivate init?(_ token: MirrorToken) {
        guard let scope = token.scope else { return nil }
        let device = HouseholdRecords.recordID(ofDevice: token.id)
        self.init(scope: scope, device: Proof(id: device, digest: token.digest))
    }

    /// A device that comes in.
    fileprivate init?(
        _ arrival: HouseholdRecords.Arrival, in scope: StoreScope?, invitation: MirrorToken? = nil,
        login: Login? = nil
    ) {
        guard let scope else { return nil }
        let device = HouseholdRecords.recordID(ofDevice: arrival.device)
        self.init(
            scope: scope, device: Proof(id: device, digest: arrival.digest),
            invitation: invitation.map { Proof(id: $0.id, digest: $0.digest) }, login: login)
    }
}
