import CLibPQ
import PostgresStore

/// A connection on which a test runs statements as they are, on the thread that calls it.
final class RawConnection {
    /// What the server has answered to a statement.
    struct Outcome: Sendable, Hashable {
        /// The rows, each value as text, nil for null.
        let rows: [[String?]]
        /// The SQLSTATE of an error; nil for success.
        let sqlState: String?
    }

    private let handle: OpaquePointer?

    /// Connects.
    ///
    /// - Throws: `RawFailure`.
    init(_ url: String) throws {
        try LibPQ.require()
        handle = pq_connectdb(url)
        guard pq_status(handle) == CONNECTION_OK else {
            let message = String(cString: pq_errorMessage(handle))
            pq_finish(handle)
            throw RawFailure(description: message)
        }
    }

    deinit { pq_finish(handle) }

    /// Runs a statement.
    func run(_ sql: String) -> Outcome {
        let result = pq_exec(handle, sql)
        defer { pq_clear(result) }
        let state = pq_resultErrorField(result, Int32(Unicode.Scalar("C").value)).map { String(cString: $0) }
        let rows = (0..<pq_ntuples(result)).map { row in
            (0..<pq_nfields(result)).map { column in
                pq_getisnull(result, row, column) == 1
                    ? nil : pq_getvalue(result, row, column).map { String(cString: $0) }
            }
        }
        return Outcome(rows: rows, sqlState: state)
    }

    /// Runs a statement that must succeed.
    ///
    /// - Throws: `RawFailure`.
    @discardableResult
    func require(_ sql: String) throws -> [[String?]] {
        let outcome = run(sql)
        guard let state = outcome.sqlState else { return outcome.rows }
        throw RawFailure(description: "\(state): \(sql)")
    }
}

/// A statement that the server did not run.
struct RawFailure: Error, CustomStringConvertible {
    let description: String
}
