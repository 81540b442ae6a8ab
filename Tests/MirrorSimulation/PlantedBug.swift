/// A mistake that the simulation makes on purpose, to show that it finds it.
public enum PlantedBug: String, CaseIterable, Sendable {
    /// The server carries out a mutation again when it is sent again.
    case noDeduplication
    /// A device gives a mutation another id each time that it sends it.
    case newIDOnRetry
    /// The edit that reaches the server last wins, however old it is.
    case arrivalWins
    /// Values that lose are not logged.
    case noConflictLog
    /// A rejected mutation is forgotten.
    case rejectedIsForgotten
    /// The rows of rejected and merged mutations are not in the page.
    case verdictsWithoutRows
    /// Rows of the server replace pending changes.
    case noOverlay
    /// An answer to an older request is taken for one to the newest.
    case staleAnswer
    /// The server does not compare the head that earlier pages were read at.
    case seenIsIgnored
    /// A place in the history is compared by its number alone.
    case noDigest
    /// The server believes every cursor.
    case bareCursor
    /// A device offers nothing to a restored server.
    case noOffers
    /// Offers overwrite what was edited since.
    case offersOverwrite
    /// A device offers rows with its pending changes.
    case offersPending
    /// A device sends each attribute of an edited row.
    case wholeRows
    /// The cursor moves on with each page, before its rows are complete.
    case cursorPerPage
    /// Verdicts are stored before the last page is there.
    case verdictBeforePages
    /// The later edit wins, whatever policy an attribute has.
    case policiesIgnored
    /// A device does not tell which values its edits saw.
    case noValuesBefore
    /// The server does not see that a unique key is taken.
    case keysUnseen
    /// The server forgets which rows were merged into others.
    case noAliases
    /// The server finds no references to rows that it merges into others.
    case referencesStay
}
