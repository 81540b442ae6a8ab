internal import Switchyard

/// The expectations that requirements check.
extension Contract {
    func fail(_ subject: String, expected: String, found: String) -> ConformanceFailure {
        ConformanceFailure(
            requirement: requirement.description, backend: harness.name, subject: subject, expected: expected,
            found: found)
    }

    /// The failure for an unexpected error.
    func failure(of error: any Error) -> ConformanceFailure {
        error as? ConformanceFailure
            ?? fail("what the store or its harness does", expected: "no error", found: ShownValue.text(error))
    }

    func expect(_ condition: Bool, _ subject: String, expected: String, found: @autoclosure () -> String)
        throws
    {
        guard condition else { throw fail(subject, expected: expected, found: found()) }
    }

    func expectEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) throws {
        guard found == expected else {
            throw fail(subject, expected: ShownValue.text(expected), found: ShownValue.text(found))
        }
    }

    /// Unwraps a value, and fails if there is none.
    func require<Value>(_ value: Value?, _ subject: String) throws -> Value {
        guard let value else { throw fail(subject, expected: "a \(Value.self)", found: "none") }
        return value
    }

    /// Expects an error with one of several codes, and returns it.
    @discardableResult
    func expectError<Result>(
        _ codes: StoreError.Code..., subject: String, _ body: () async throws -> Result
    ) async throws -> StoreError {
        let expected = "the error \(codes.map(\.description).joined(separator: " or "))"
        do {
            _ = try await body()
        } catch let error as StoreError where codes.contains(error.code) {
            return error
        } catch let failure as ConformanceFailure {
            throw failure
        } catch {
            throw fail(subject, expected: expected, found: ShownValue.text(error))
        }
        throw fail(subject, expected: expected, found: "none")
    }

    /// Expects an error with this code, and returns it.
    @discardableResult
    func expectError<Result>(
        _ code: StoreError.Code, _ subject: String, _ body: () async throws -> Result
    ) async throws -> StoreError {
        try await expectError(code, subject: subject, body)
    }
}
