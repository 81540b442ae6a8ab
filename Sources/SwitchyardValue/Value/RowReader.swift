internal import Foundation

/// Reads the columns of one row in order.
///
/// `@Model` generates the reads, one for each attribute in the order of `Entity.attributes`. A reader borrows the
/// driver's memory, so it cannot be copied out of the call that received it. Do not keep its cells either: Swift 6.3 can hold
/// them back (`~Escapable`, `Span`) by an experimental feature alone.
///
/// It is a concrete type with inlinable methods, so that decoding a model takes no generic call for each column: the
/// plugin fills `Cell`s and makes one dynamic call for each row. (A protocol for the plugin's own reader was tried
/// first; it costs a witness call for each column.)
@frozen
public struct RowReader: ~Copyable {
    @usableFromInline let cells: UnsafePointer<Cell>
    @usableFromInline let count: Int
    @usableFromInline var position: Int
    @usableFromInline let context: ErrorContext

    /// Reads `cells`, which must stay valid and unchanged while the reader is in use.
    @inlinable
    public init(cells: UnsafePointer<Cell>, count: Int, context: ErrorContext) {
        self.cells = cells
        self.count = count
        self.position = 0
        self.context = context
    }

    /// Returns the next cell.
    @inlinable
    public mutating func next() throws -> Cell {
        guard position < count else { throw context.tooFewColumns(count) }
        defer { position += 1 }
        return cells[position]
    }

    /// Goes back to the first column, to read the row once more.
    @inlinable
    public mutating func rewind() { position = 0 }

    /// Reads the cell that was read last once more, as the value of an attribute's type.
    ///
    /// - Throws: `corrupted` if it is not one.
    package mutating func readAgain(as type: AttributeType) throws -> StoredValue {
        position -= 1
        return try read(type)
    }

    /// The error for a cell that does not fit its attribute.
    ///
    /// - Parameters:
    ///   - expected: What was expected, in words.
    ///   - found: The cell that was read last.
    /// - Returns: An error with code `corrupted` that names the entity, the attribute and the row.
    public func mismatch(expected: String, found: Cell) -> StoreError {
        context.mismatch(column: position - 1, expected: expected, found: found, first: cells[0])
    }

    /// The error for the value that was read last, if it does not fit a Swift type.
    package func unfit(_ type: Any.Type, found: StoredValue) -> StoreError {
        context.unfit(column: position - 1, type, found: found.literal, first: cells[0])
    }

    /// Reads an attribute of a type that Switchyard supports directly.
    @inlinable
    public mutating func read<Value: AttributeValue>(_: Value.Type = Value.self) throws -> Value {
        try Value(from: &self)
    }
}

@available(*, unavailable)
extension RowReader: Sendable {}

/// The entity and the attributes of a row, for the errors of readers and writers.
public final class ErrorContext: Sendable {
    /// The entity's name.
    public let entity: String
    /// The attribute of each column.
    public let attributes: [String]

    /// Creates the context of an entity's rows.
    public init(entity: String, attributes: [String]) {
        self.entity = entity
        self.attributes = attributes
    }

    @usableFromInline
    package func tooFewColumns(_ count: Int) -> StoreError {
        StoreError(
            .corrupted, "A row has only \(count) columns, but the model reads more.", entity: entity)
    }

    func mismatch(column: Int, expected: String, found: Cell, first: Cell) -> StoreError {
        let kind =
            switch found.kind {
            case .null: "no value"
            case .integer: "an integer"
            case .double: "a double"
            case .text: "text"
            case .blob: "a blob"
            }
        return StoreError(
            .corrupted, "The store holds \(kind)\(place(of: first)) where \(expected) belongs.",
            entity: entity,
            attribute: attribute(ofColumn: column), detail: found.number.map { "found \($0)" })
    }

    /// The error of a stored value that does not fit the requested type, such as a raw value without a case.
    @usableFromInline
    func unfit(column: Int, _ type: Any.Type, found: String, first: Cell) -> StoreError {
        StoreError(
            .corrupted,
            "The store holds a value\(place(of: first)) that is not a valid \(type); a newer version of the app may "
                + "have written it.",
            entity: entity, attribute: attribute(ofColumn: column), detail: "found \(found)")
    }

    private func attribute(ofColumn column: Int) -> String? {
        attributes.indices.contains(column) ? attributes[column] : nil
    }

    /// Names the row by its id, if the id is the first column; empty otherwise.
    private func place(of first: Cell) -> String {
        guard attributes.first == "id", first.kind == .blob, first.count == 16 else { return "" }
        let uuid = first.bytes.loadUnaligned(as: uuid_t.self)
        return " in the row \(UUID(uuid: uuid).uuidString.lowercased())"
    }
}
