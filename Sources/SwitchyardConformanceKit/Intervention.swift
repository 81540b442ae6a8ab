/// The result of a harness's attempt to change a store from outside.
public enum Intervention: Sendable, Hashable {
    /// It is done.
    case done
    /// The backend has no such thing or does not allow it; the reason is a sentence, which
    /// `Requirement.verify` returns.
    case impossible(reason: String)
}

/// A change for `ConformanceHarness.plant` to make: a fault in every row of an entity, or in its table.
public enum PlantedFault: Sendable, Hashable {
    /// Text in a column of integers.
    case text(entity: String, attribute: String)
    /// An integer other than 0 and 1 in a column of booleans.
    case integerTwo(entity: String, attribute: String)
    /// The integer 300 in a column of an `Int8`.
    case wideInteger(entity: String, attribute: String)
    /// The raw value `unheard-of` in a column of an enum.
    case unknownCase(entity: String, attribute: String)
    /// An additional, nullable column in the table of an entity.
    case furtherColumn(entity: String)
    /// The bytes C3 28, which are not UTF-8, in a column of text.
    case invalidUTF8(entity: String, attribute: String)
}

/// A change for `ConformanceHarness.change` to make to the structure of an open store.
public enum StructureChange: Sendable, Hashable {
    /// The column of an attribute is removed.
    case columnRemoved(entity: String, attribute: String)
    /// The table of an entity is removed.
    case entityRemoved(String)
}

/// The moment of a commit at which `ConformanceHarness.cutNextCommit` cuts the connection.
public enum CommitCut: Sendable, Hashable {
    /// Before the server receives the commit: nothing is kept.
    case beforeItIsDone
    /// After the server has committed, before it can report it: everything is kept.
    case afterItIsDone
}
