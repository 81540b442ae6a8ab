extension Store {
    /// Runs work on the store, and closes it.
    ///
    /// If the work fails, its error is thrown, and one of closing the store is not.
    package func closing<Value>(_ work: (Self) async throws -> Value) async throws -> Value {
        let value = try await closingOnError(work)
        try await close()
        return value
    }

    /// Runs work on the store, and closes it if that fails.
    package func closingOnError<Value>(_ work: (Self) async throws -> Value) async throws -> Value {
        do { return try await work(self) } catch {
            try? await close()
            throw error
        }
    }
}
