internal import SwitchyardCore

extension Error {
    /// The error that the store throws.
    var asThrown: any Error { (self as? FinalError)?.storeError ?? self }
}

/// An error after which the transaction is not retried, although other errors with its code are.
struct FinalError: Error {
    /// The error that the store throws.
    let storeError: StoreError

    init(_ error: StoreError) { storeError = error }

    /// The lock timeout of the server; nil for any other error.
    ///
    /// A retry would only wait again.
    init?(lockTimeout error: StoreError) {
        guard (error.underlying as? PostgresError)?.sqlState == "55P03" else { return nil }
        storeError = error
    }

    /// The timeout of a wait for a connection.
    init(_ limits: ConnectionPool.Limits, _ occupancy: PoolState.Occupancy) {
        let (used, silent, opening) = (occupancy.used, occupancy.silent, occupancy.opening)
        var text = "No connection came free within \(limits.wait); "
        text += used == limits.size ? "all \(used) were in use" : "\(used) of \(limits.size) were in use"
        if silent > 0 { text += ", \(silent) of them waiting for a server that does not answer" }
        if opening > 0 { text += ", and \(opening) more could not be opened in that time" }
        if occupancy.isCrowded { text += ", and the server allows no more" }
        let advice =
            if silent + opening > 0 {
                "Check the server and the network to it."
            } else if occupancy.isCrowded {
                "Shorten the transactions or raise the server's max_connections."
            } else {
                "Shorten the transactions or allow more connections."
            }
        storeError = StoreError(.busy, "\(text). \(advice)")
    }
}
