internal import Switchyard

/// Carries a transaction out of its body, which no app should do, to test that it no longer works there.
///
/// `@unchecked Sendable`: the transaction is stored by one body and used after that body has returned; the
/// store's hand-over of the body's result orders the two accesses.
final class KeptTransaction: @unchecked Sendable {
    private var transaction: ReadTransaction?

    func keep(_ transaction: ReadTransaction) { self.transaction = transaction }

    func count() throws -> Int? { try transaction?.count(Ticket.all) }
}
