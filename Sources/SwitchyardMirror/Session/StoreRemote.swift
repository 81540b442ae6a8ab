package import Foundation
package import SwitchyardCore

/// A server that a device reaches directly: a store, or one scope of it.
///
/// It needs a connection to the server's database, so it is for trusted machines and tests.
package struct StoreRemote: Sendable {
    private let store: any Store
    private let scope: StoreScope?
    private let functions: MergeFunctions
    /// The time in microseconds since 1970.
    private let now: @Sendable () -> Int64

    /// Prepares to exchange with a store, which must keep a history.
    package init(
        _ store: any Store, scope: StoreScope? = nil, functions: MergeFunctions = MergeFunctions(),
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000_000) }
    ) {
        self.store = store
        self.scope = scope
        self.functions = functions
        self.now = now
    }

    /// The identity of the server's store.
    ///
    /// - Throws: As a read; `schemaInvalid` if the schema names a merge function that was not given.
    package func id() async throws -> UUID {
        try functions.require(by: store.schema)
        return try await store.marker().storeID
    }

    /// Carries out mutations, and answers with verdicts and rows.
    ///
    /// The mutations and the page are one transaction, each mutation in a savepoint and a transaction of the history of its
    /// own.
    ///
    /// - Throws: As a write; nothing was carried out then.
    package func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        try await store.write(WriteOptions(scope: scope)) { [functions, now] tx in
            let server = ServerMirror(tx, device: device, functions: functions, now: now())
            try server.prefetch(request)
            return try server.exchange(request)
        }
    }

    /// Answers with a page of all rows.
    ///
    /// - Throws: As a write.
    package func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer {
        try await store.write(WriteOptions(scope: scope)) { [functions, now] tx in
            try ServerMirror(tx, device: device, functions: functions, now: now()).answer(request)
        }
    }
}
