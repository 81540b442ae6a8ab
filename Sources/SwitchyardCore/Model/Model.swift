/// A value that is stored as one row.
///
/// Conform to it by writing `@Model` on a struct.
///
/// The requirements are written by the macro; call them through a transaction.
public protocol Model: Identifiable, Sendable where ID == Identifier<Self> {
    /// The namespace of the schema version that the model belongs to: models that refer to each other must
    /// agree in it, which the compiler checks.
    associatedtype ModelVersion

    /// The entity's name.
    static var entityName: String { get }
    /// The entity as data, or why the declaration cannot be one (a filter that cannot be lowered).
    static var entity: Result<Entity, StoreError> { get }
    /// The name of the attribute or relationship at a key path; nil for a property that is not stored.
    static func attributeName(of keyPath: PartialKeyPath<Self>) -> String?

    /// The id of the row.
    var id: ID { get }
    /// Reads the attributes in the entity's order.
    ///
    /// - Throws: `corrupted` if a column holds what the attribute cannot.
    init(from row: inout RowReader) throws
    /// Writes the attributes in the entity's order.
    ///
    /// - Throws: `valueNotRepresentable` if a value cannot be stored on every backend.
    func encode(into row: inout RowWriter) throws
}
