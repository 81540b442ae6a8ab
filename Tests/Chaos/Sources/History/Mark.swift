import Switchyard

/// A row that is inserted once and never changed.
@Model
struct Mark {
    let id: ID
    /// The place in a feed that is numbered by the rows themselves.
    var position: Int
    /// How long the COMMIT is held up, in microseconds, once the row has its place.
    var pause: Int
}

/// A store whose history is followed.
enum MarkSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Mark.self]
}
