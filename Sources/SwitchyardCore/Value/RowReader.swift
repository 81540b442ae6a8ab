internal import Foundation

/// Reads the columns of one row in order.
///
/// `@Model` generates the reads, one for each attribute in the order of `Entity.attributes`. A reader borrows
/// the driver's memory and is of no use after the call that received it has returned.
///
/// It is a concrete type, and its methods are inlinable, so that a model decodes without a generic call for
/// each column: the plugin fills `Cell`s, and one dynamic call for each row leads here. (A protocol for the
/// plugin's own reader was tried first; it costs a witness call for each column.)
@frozen
public struct RowReader {
    @usableFromInline let cells: UnsafePointer<Cell>
    @usableFromInline let count: Int
    @usableFromInline var position: Int
    @usableFromInline let context: RowContext

    /// Reads `cells`, which must stay valid and unchanged while the reader is in use.
    @inlinable
    public init(cells: UnsafePointer<Cell>, count: Int, context: RowContext) {
        self.cells = cells
        self.count = count
        self.position = 0
        self.context = context
    }

    /// Takes the next cell.
    @inlinable
    public mutating func next() throws -> Cell {
        guard position < count else { throw context.tooFewColumns(count) }
        defer { position += 1 }
        return cells[position]
    }

    /// The error for a cell that does not hold what its attribute says.
    ///
    /// - Parameters:
    ///   - expected: What belongs there, in words.
    ///   - found: The cell that was taken last.
    /// - Returns: An error with code `corrupted`, naming entity, attribute and row.
    public func mismatch(expected: String, found: Cell) -> StoreError {
        context.mismatch(column: position - 1, expected: expected, found: found, first: cells[0])
    }

    /// The error for the value that was taken last, where it is none of a Swift type.
    func unfit(_ type: Any.Type, found: StoredValue) -> StoreError {
        context.unfit(column: position - 1, type, found: found.literal, first: cells[0])
    }

    /// Reads an attribute of a type that Switchyard knows.
    @inlinable
    public mutating func read<Value: AttributeValue>(_: Value.Type = Value.self) throws -> Value {
        try Value(from: &self)
    }
}

@available(*, unavailable)
extension RowReader: Sendable {}

/// What a reader needs to name a fault: the entity and its columns.
public final class RowContext: Sendable {
    /// The entity's name.
    public let entity: String
    /// The attribute of each column.
    public let attributes: [String]

    /// Describes rows of an entity.
    public init(entity: String, attributes: [String]) {
        self.entity = entity
        self.attributes = attributes
    }

    @usableFromInline
    func tooFewColumns(_ count: Int) -> StoreError {
        StoreError(
            .corrupted, "A row has only \(count) columns; the model reads more.", entity: entity)
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

    /// The error of a stored value that is none of the type that is asked for, such as a raw value without a
    /// case.
    @usableFromInline
    func unfit(column: Int, _ type: Any.Type, found: String, first: Cell) -> StoreError {
        StoreError(
            .corrupted,
            "The store holds a value\(place(of: first)) that is no \(type); a newer version of the app may have "
                + "written it.",
            entity: entity, attribute: attribute(ofColumn: column), detail: "found \(found)")
    }

    private func attribute(ofColumn column: Int) -> String? {
        attributes.indices.contains(column) ? attributes[column] : nil
    }

    /// The row by its id, if this is its first column; nothing otherwise.
    private func place(of first: Cell) -> String {
        guard attributes.first == "id", first.kind == .blob, first.count == 16 else { return "" }
        let uuid = first.bytes.loadUnaligned(as: uuid_t.self)
        return " in the row \(UUID(uuid: uuid).uuidString.lowercased())"
    }
}
