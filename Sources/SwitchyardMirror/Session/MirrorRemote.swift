package import Foundation
package import SwitchyardCore

/// A server, as a device reaches it.
package protocol MirrorRemote: Sendable {
    /// The household's scope in the server's store; nil if that has no scopes.
    var scope: StoreScope? { get }

    /// The device's token; nil for a server that is reached without one.
    var token: MirrorToken? { get }

    /// Reaches the server.
    ///
    /// - Parameter known: The identity of the server's store that the device mirrors; nil for a device that mirrors none, for
    ///   which a missing store is made.
    /// - Returns: The identity of its store.
    /// - Throws: What kept it from being reached; `invalidArgument` if it is none; `identityConflict` if it is another one, and
    ///   `notFound` if there is none, both of which change nothing there.
    func connect(expecting known: UUID?) async throws -> UUID

    /// Carries out mutations, and answers with verdicts and rows.
    ///
    /// - Throws: As a write; nothing was carried out then.
    func exchange(_ request: ExchangeRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer

    /// Answers with a page of all rows.
    ///
    /// - Throws: As a read.
    func rows(_ request: RowsRequest, _ device: MirrorDevice) async throws -> ExchangeAnswer

    /// Compares a part of the rows.
    ///
    /// - Throws: As a read; `unsupported` if the server compares nothing.
    func part(_ request: PartRequest, _ device: MirrorDevice) async throws -> PartAnswer

    /// The household as the server has told it last; nil if it knows of none.
    var knownHousehold: Household? { get }

    /// Calls the body whenever there may be news, until the task is cancelled or the connection ends.
    ///
    /// - Throws: What ended it.
    func follow(_ body: @Sendable () -> Void) async throws

    /// Ends the connection.
    func close() async
}

extension MirrorRemote {
    package var token: MirrorToken? { nil }
    package var knownHousehold: Household? { nil }

    package func part(_ request: PartRequest, _ device: MirrorDevice) async throws -> PartAnswer {
        throw StoreError(.unsupported, "The server compares no rows. Update it; nothing was changed.")
    }
}
