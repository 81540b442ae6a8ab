internal import SwitchyardCore

/// Wraps an error of the caller's closure on its way through GRDB, so that it is not mistaken for one of GRDB's own.
struct BodyError: Error {
    /// The error that the caller threw.
    let error: any Error

    /// Runs a closure of the caller.
    ///
    /// - Throws: A `BodyError`, or the closure's `StoreError`, which cannot be mistaken for GRDB's.
    static func wrapping<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch {
            throw BodyError(error: error)
        }
    }
}
