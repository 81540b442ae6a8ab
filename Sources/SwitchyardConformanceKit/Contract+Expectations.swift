package import Switchyard

/// The expectations that requirements check.
extension Contract {
    package func fail(
        _ subject: String, expected: String, found: String, _ fileID: String = #fileID, _ line: Int = #line
    ) -> ConformanceFailure {
        fail(subject, expected: expected, found: found, at: SourceLine(fileID, line))
    }

    private func fail(
        _ subject: String, expected: String, found: String, at place: SourceLine
    ) -> ConformanceFailure {
        ConformanceFailure(
            requirement: requirement.description, backend: harness.name, subject: subject, expected: expected,
            found: found, location: "\(place); the requirement: \(requirement.place)")
    }

    /// The failure for an unexpected error, which names the step that threw, and the last one that went well.
    func failure(of error: any Error) -> ConformanceFailure {
        if let failure = error as? ConformanceFailure { return failure }
        let step = waits.lastFailure ?? "what the store or its harness does"
        let last = lastStep.withLock { $0 }
        return fail(
            last.map { "\(step), after “\($0.subject)”" } ?? step, expected: "no error",
            found: ShownValue.text(error), at: last?.place ?? requirement.place)
    }

    package func expect(
        _ condition: Bool, _ subject: String, expected: String, found: @autoclosure () -> String,
        _ fileID: String = #fileID, _ line: Int = #line
    ) throws {
        guard condition else {
            throw fail(subject, expected: expected, found: found(), at: SourceLine(fileID, line))
        }
        didCheck(subject, fileID, line)
    }

    package func expectEqual<Value: Equatable>(
        _ found: Value, _ expected: Value, _ subject: String, _ fileID: String = #fileID, _ line: Int = #line
    ) throws {
        guard found == expected else {
            throw fail(
                subject, expected: ShownValue.text(expected), found: ShownValue.text(found),
                at: SourceLine(fileID, line))
        }
        didCheck(subject, fileID, line)
    }

    /// Unwraps a value, and fails if it is nil.
    package func require<Value>(
        _ value: Value?, _ subject: String, _ fileID: String = #fileID, _ line: Int = #line
    ) throws -> Value {
        guard let value else {
            throw fail(
                subject, expected: "a \(Value.self)", found: "none", at: SourceLine(fileID, line))
        }
        didCheck(subject, fileID, line)
        return value
    }

    /// Expects an error with one of several codes, and returns it.
    @discardableResult
    func expectError<Result>(
        _ codes: StoreError.Code..., subject: String, fileID: String = #fileID, line: Int = #line,
        _ body: () async throws -> Result
    ) async throws -> StoreError {
        let place = SourceLine(fileID, line)
        let expected = "the error \(codes.map(\.description).joined(separator: " or "))"
        do {
            _ = try await body()
        } catch let error as StoreError where codes.contains(error.code) {
            didCheck(subject, fileID, line)
            return error
        } catch let failure as ConformanceFailure {
            throw failure
        } catch {
            throw fail(subject, expected: expected, found: ShownValue.text(error), at: place)
        }
        throw fail(subject, expected: expected, found: "none", at: place)
    }

    /// Expects an error with this code, and returns it.
    @discardableResult
    package func expectError<Result>(
        _ code: StoreError.Code, _ subject: String, fileID: String = #fileID, line: Int = #line,
        _ body: () async throws -> Result
    ) async throws -> StoreError {
        try await expectError(code, subject: subject, fileID: fileID, line: line, body)
    }

    private func didCheck(_ subject: String, _ fileID: String, _ line: Int) {
        lastStep.withLock { $0 = (subject, SourceLine(fileID, line)) }
    }
}
