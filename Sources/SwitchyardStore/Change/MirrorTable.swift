/// The table in which a mirrored store keeps what is not yet everywhere.
extension Entity {
    /// Records of the mirror: mutations that wait for a verdict, the server's rows beneath them, places in the server's
    /// history, verdicts and conflicts.
    ///
    /// The id follows from the kind and what the record is of; the number gives the order within a kind.
    package static let mirrorRecord = Entity(
        "switchyard_mirror",
        attributes: [
            Attribute("id", type: .uuid),
            Attribute("kind", type: .int),
            Attribute("number", type: .int),
            Attribute("data", type: .blob),
        ], indexes: [Index(["kind", "number"])])
}
