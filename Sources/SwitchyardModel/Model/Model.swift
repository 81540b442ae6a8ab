/// A value that is stored as one row.
///
/// Write `@Model` on a struct to conform to it. The macro generates the requirements, and transactions call them.
public protocol Model: Identifiable, Sendable where ID == Identifier<Self> {
    /// The namespace of the schema version that the model belongs to. The compiler checks that models that refer to
    /// each other have the same one.
    associatedtype ModelVersion

    /// The entity's name.
    static var entityName: String { get }
    /// The entity as data, or the error in its declaration, such as a filter that cannot be lowered.
    static var entity: Result<Entity, StoreError> { get }
    /// The name of the attribute or relationship at a key path; nil for a property that is not stored.
    static func attributeName(of keyPath: PartialKeyPath<Self>) -> String?

    /// The id of the row.
    var id: ID { get }
    /// Reads the attributes in the entity's order.
    ///
    /// - Throws: `corrupted` if a column holds a value that its attribute cannot.
    init(from row: inout RowReader) throws
    /// Writes the attributes in the entity's order.
    ///
    /// - Throws: `valueNotRepresentable` if a value cannot be stored on every backend.
    func encode(into row: inout RowWriter) throws
}
