public import Switchyard

/// One row of the contract that every backend keeps, with the test that shows it.
public struct ContractRow: Sendable, CustomStringConvertible {
    /// The row's number in the contract, such as `V9`.
    public let number: String
    /// The row's subject in a sentence.
    public let subject: String
    /// The capability without which the row has no meaning, if there is one.
    public let needs: StoreCapability?
    let body: @Sendable (Contract) async throws -> Void

    init(
        _ number: String, _ subject: String, needs: StoreCapability? = nil,
        _ body: @escaping @Sendable (Contract) async throws -> Void
    ) {
        self.number = number
        self.subject = subject
        self.needs = needs
        self.body = body
    }

    /// Every row, in the contract's order.
    public static var all: [ContractRow] {
        ValueRows.all + QueryRows.all + TransactionRows.all + SchemaRows.all
    }

    /// The number and the subject.
    public var description: String { "\(number): \(subject)" }

    /// Runs the test of this row against a backend.
    ///
    /// - Returns: Why the row, or a part of it, has no meaning for the backend; nil if all of it was tested
    ///   and kept.
    /// - Throws: `ConformanceFailure` if the backend does not keep the row; any error that its store throws
    ///   out of place.
    @discardableResult
    public func verify(_ harness: any ConformanceHarness) async throws -> String? {
        if let needs, let reason = harness.limitations[needs] { return reason }
        let contract = Contract(row: self, harness: harness)
        do {
            try await body(contract)
        } catch {
            await contract.disposeAll()
            throw error
        }
        await contract.disposeAll()
        return contract.reason
    }
}

/// A row of the contract that a backend does not keep.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// The row.
    public let row: String
    /// The backend.
    public let backend: String
    /// What was expected, and what came instead.
    public let message: String

    /// All three in a line.
    public var description: String { "\(backend) does not keep \(row) — \(message)" }
}
