package import SwitchyardCore

extension StoreError {
    /// The error of a query that has not as many columns as are to be decoded.
    package static func columns(_ found: Int, expected: Int, of entity: String) -> StoreError {
        StoreError(
            .unsupported,
            "The query has \(found) columns, and \(expected) are to be decoded. Name exactly those, in their order.",
            entity: entity)
    }
}
