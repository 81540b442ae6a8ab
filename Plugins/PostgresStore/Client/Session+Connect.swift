internal import CLibPQ
internal import Foundation
internal import Logging
internal import SwitchyardCore

extension Session {
    /// The oldest supported version of the server.
    private static let oldestVersion: Int32 = 150_000

    /// Connects to the first address that accepts a session, and prepares the session.
    ///
    /// Blocks for at most the connect timeout per address, and while the system resolves names.
    ///
    /// - Throws: `configuration`, for instance for a database whose encoding is not UTF-8; `authentication`;
    ///   `connectionLost`; `busy` if the server has too many connections; `unsupported` if the server is too old or
    ///   libpq is not installed.
    static func connect(
        _ parameters: ConnectionParameters, options: SessionOptions, canceller: Canceller, logger: Logger
    ) throws -> Session {
        try LibPQ.require()
        try parameters.validate()
        var failures: [StoreError] = []
        for address in parameters.addresses {
            do {
                return try connect(to: address, options: options, canceller: canceller, logger: logger)
            } catch let error as StoreError where error.code == .connectionLost {
                // Any other error would be the same at every address, or needs attention.
                failures.append(error)
            }
        }
        guard failures.count > 1 else { throw failures[0] }
        throw StoreError(
            .connectionLost,
            "None of the PostgreSQL server's addresses gave a session. "
                + failures.map(\.message).joined(separator: " "),
            detail: failures.compactMap(\.detail).joined(separator: " "), underlying: failures[0].underlying)
    }

    private static func connect(
        to parameters: ConnectionParameters, options: SessionOptions, canceller: Canceller, logger: Logger
    ) throws -> Session {
        let resolved = parameters.resolved
        var texts = resolved.flatMap { [strdup($0.key), strdup($0.value)] }
        defer { for text in texts { free(text) } }
        var keywords: [UnsafePointer<CChar>?] = []
        var values: [UnsafePointer<CChar>?] = []
        for index in stride(from: 0, to: texts.count, by: 2) {
            keywords.append(UnsafePointer(texts[index]))
            values.append(UnsafePointer(texts[index + 1]))
        }
        keywords.append(nil)
        values.append(nil)
        texts.append(nil)
        let deadline = ContinuousClock.now + .seconds(parameters.connectTimeout)
        guard let handle = pq_connectStartParams(keywords, values, 0) else {
            throw StoreError(.backend, "There is not enough memory for a connection.")
        }
        // From here on the session owns the handle and closes it.
        let session: Session
        do {
            try finishConnecting(handle, parameters, until: deadline)
            session = Session(handle: handle, options: options, canceller: canceller, logger: logger)
        } catch {
            pq_finish(handle)
            throw error
        }
        let version = pq_serverVersion(handle)
        guard version >= oldestVersion else {
            throw StoreError(
                .unsupported,
                "The server at \(parameters.place) is PostgreSQL \(version / 10_000); Switchyard needs 15 or later."
            )
        }
        try requireUTF8(handle, parameters)
        do {
            try session.waiting(.deadline(deadline)) { try session.applySettings() }
        } catch  where session.isBroken && deadline <= .now {
            throw noAnswer(parameters)
        }
        return session
    }

    /// Refuses a database with another encoding than UTF-8.
    ///
    /// Its text would be ordered by other bytes than in all other stores, and it would refuse characters that its
    /// encoding lacks.
    private static func requireUTF8(_ handle: OpaquePointer, _ parameters: ConnectionParameters) throws {
        let encoding = pq_parameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? "unknown"
        guard encoding != "UTF8" else { return }
        throw StoreError(
            .configuration,
            "The encoding of the database at \(parameters.place) is \(encoding); Switchyard needs UTF8. Create the "
                + "database with ENCODING 'UTF8'.")
    }

    private static func finishConnecting(
        _ handle: OpaquePointer, _ parameters: ConnectionParameters, until deadline: ContinuousClock.Instant
    ) throws {
        // Verbose messages contain the SQLSTATE, the only way to tell a wrong password from a wrong database.
        _ = pq_setErrorVerbosity(handle, PQERRORS_VERBOSE)
        var status = PGRES_POLLING_WRITING
        if pq_status(handle) == CONNECTION_BAD { throw connectFailure(handle, parameters) }
        while status != PGRES_POLLING_OK {
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            var descriptor = pollfd(fd: pq_socket(handle), events: Int16(events), revents: 0)
            let left = deadline - .now
            guard left > .zero else { throw noAnswer(parameters) }
            let ready = poll(&descriptor, 1, left.wholeMilliseconds)
            if ready < 0, errno != EINTR {
                throw StoreError(
                    .connectionLost, "Waiting for the PostgreSQL server failed (errno \(errno)).")
            }
            guard ready > 0 else { continue }
            status = pq_connectPoll(handle)
            if status == PGRES_POLLING_FAILED { throw connectFailure(handle, parameters) }
        }
        _ = pq_setErrorVerbosity(handle, PQERRORS_DEFAULT)
    }

    private static func noAnswer(_ parameters: ConnectionParameters) -> StoreError {
        StoreError(
            .connectionLost,
            "The PostgreSQL server at \(parameters.place) did not answer within \(parameters.connectTimeout) s; check "
                + "the address and that the server is running.")
    }

    private static func connectFailure(_ handle: OpaquePointer, _ parameters: ConnectionParameters)
        -> StoreError
    {
        let text = parameters.redact(String(cString: pq_errorMessage(handle)))
        let words = paragraph(text)
        if let sqlState = sqlState(inVerbose: text) {
            let error = PostgresError(sqlState: sqlState, message: words)
            var translated = StoreError(error)
            if translated.code == .backend {
                translated = StoreError(
                    .connectionLost, "The PostgreSQL server at \(parameters.place) refused the connection.",
                    detail: words, underlying: error)
            }
            return translated
        }
        if pq_connectionNeedsPassword(handle) != 0 {
            return StoreError(
                .authentication,
                "The PostgreSQL server at \(parameters.place) requires a password. Set store.postgres.password.",
                detail: words)
        }
        if let wanted = parameters["target_session_attrs"],
            pq_parameterStatus(handle, "server_version") != nil
        {
            return StoreError(
                .connectionLost,
                "The PostgreSQL server at \(parameters.place) is not what target_session_attrs=\(wanted) asks for.",
                underlying: PostgresError(message: words))
        }
        return StoreError(
            .connectionLost,
            "The PostgreSQL server at \(parameters.place) cannot be reached: \(words)",
            underlying: PostgresError(message: words))
    }

    /// Joins the lines of a message of libpq into sentences: only some of its lines end with a full stop.
    static func paragraph(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { line in
            let sentence = line.trimmingCharacters(in: .whitespaces)
            return sentence.last.map(".?!:;,".contains) ?? true ? sentence : sentence + "."
        }
        .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Finds `28P01` in `FATAL:  28P01: password authentication failed…`, whatever the language of `FATAL`.
    static func sqlState(inVerbose text: String) -> String? {
        for line in text.split(whereSeparator: \.isNewline) {
            for part in line.split(separator: ":") {
                let word = part.trimmingCharacters(in: .whitespaces)
                if word.utf8.count == 5,
                    word.utf8.allSatisfy({ (48...57).contains($0) || (65...90).contains($0) }),
                    word.utf8.contains(where: { (48...57).contains($0) })
                {
                    return word
                }
            }
        }
        return nil
    }
}
