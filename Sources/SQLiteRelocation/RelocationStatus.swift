/// The status of a move.
public enum RelocationStatus: Sendable, Hashable {
    /// There is nothing to move: open the new place.
    case notNeeded
    /// The old file has yet to be moved, or a move was interrupted: run it before anything opens the new
    /// place.
    case pending
    /// A process is moving the file right now, or has yet to end the move of another one to the same directory.
    case inProgress
    /// The file is at the new place, and the old one is kept as a backup: open the new place.
    case completed
    /// The last attempt has failed, or the files are not as a move would leave them; the message says what to
    /// do. Nothing is retried unless `run` is called.
    case failed(String)
}
