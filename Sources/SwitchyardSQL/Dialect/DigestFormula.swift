/// How a database calculates the next digest of a history from the last one.
struct DigestFormula: Sendable {
    /// The bytes of a transaction's id, with `$` for it.
    let bytes: String
    /// The hash of bytes, as long as a digest, with `$` for them.
    let hash: String
    /// The digest before the first transaction.
    let first: String
}
