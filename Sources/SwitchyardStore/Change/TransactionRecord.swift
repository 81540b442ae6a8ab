package import Foundation

/// What a transaction of the history says of itself, given from outside: a change that was made elsewhere and is carried
/// out here.
package struct TransactionRecord: Sendable, Hashable {
    /// The transaction's id, by which it is known wherever it is carried out.
    package var id: UUID
    /// When the change was made, in microseconds since 1970.
    package var time: Int64
    /// The author; nil if none was named.
    package var author: String?
    /// The device on which the change was made; nil if none was named.
    package var device: String?
    /// The identity of the store that the change comes from; nil if it was made in this one.
    package var origin: UUID?
    /// The transaction that this one undoes, if it is an undo.
    package var undone: UUID?

    /// Describes a transaction.
    package init(
        id: UUID, time: Int64, author: String? = nil, device: String? = nil, origin: UUID? = nil,
        undone: UUID? = nil
    ) {
        self.id = id
        self.time = time
        self.author = author
        self.device = device
        self.origin = origin
        self.undone = undone
    }
}
