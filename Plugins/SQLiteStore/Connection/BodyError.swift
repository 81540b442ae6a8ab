internal import SwitchyardCore

/// What a closure of the caller threw, on its way through GRDB: so it is not taken for an error of GRDB's own.
struct BodyError: Error {
    /// The error as the caller threw it.
    let error: any Error

    /// Runs a closure of the caller.
    ///
    /// - Throws: A `BodyError`, or the closure's `StoreError`, which cannot be mistaken.
    static func marking<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw BodyError(error: error)
        }
    }
}
