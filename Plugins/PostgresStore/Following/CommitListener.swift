internal import Foundation
internal import SwitchyardCore

/// Listens for notifications of other processes that use the store, on a connection of its own.
final class CommitListener: Sendable {
    /// The pause before a lost connection is opened again.
    private static let pause = Duration.seconds(1)
    /// How long the server may be silent before it is asked whether it is still there.
    private static let silence = Duration.seconds(30)

    private let task: Task<Void, Never>
    /// The end of a pipe whose other end wakes the connection's thread when this one is closed.
    private let wake: CInt

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - listening: The statements with which the session begins to listen.
    ///   - pool: Opens the connection.
    ///   - body: Is called with the texts of notifications, and with nil whenever some may have been missed, until the
    ///     listener is released.
    /// - Throws: A `StoreError` if the server cannot be reached or does not let the session listen.
    init(
        _ listening: String, _ pool: ConnectionPool, _ body: @escaping @Sendable ([String]?) -> Void
    ) async throws {
        let first = try await Self.listen(listening, pool)
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else {
            await pool.closeApart(first)
            throw StoreError(
                .ofSystemError(errno), "A pipe cannot be made: \(String(cString: strerror(errno))).")
        }
        let end = ends[0]
        wake = ends[1]
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        task = Task {
            defer { close(end) }
            var connection: Connection? = first
            while let current = connection {
                await Self.follow(current, until: end, body)
                await pool.closeApart(current)
                connection = nil
                while connection == nil, !Task.isCancelled {
                    connection = try? await Self.listen(listening, pool)
                    if connection == nil { try? await Task.sleep(for: Self.pause) } else { body(nil) }
                }
            }
        }
    }

    deinit {
        task.cancel()
        close(wake)
    }

    private static func listen(
        _ listening: String, _ pool: ConnectionPool
    ) async throws -> Connection {
        let connection = try await pool.openApart()
        let outcome = await connection.perform { session in _ = try session.simple(listening) }
        if case .success? = outcome.result, outcome.isUsable { return connection }
        await pool.closeApart(connection)
        if case .failure(let error)? = outcome.result { throw error }
        throw StoreError(.connectionLost, "The connection to the PostgreSQL server was lost.")
    }

    /// Calls the body with the texts of notifications, until the connection is lost or the end is reached.
    private static func follow(
        _ connection: Connection, until end: CInt, _ body: @Sendable ([String]?) -> Void
    ) async {
        while !Task.isCancelled {
            let outcome = await connection.perform { session in
                let texts = try session.awaitNotifications(orEndOf: end, atMost: Self.silence)
                if texts == [] { try session.waitingBriefly { _ = try session.simple("SELECT") } }
                return texts
            }
            guard case .success(let texts?)? = outcome.result, outcome.isUsable else { return }
            if !texts.isEmpty { body(texts) }
        }
    }
}
