internal import Foundation
internal import SwitchyardCore

/// A transaction of the store's history in the command's output.
struct ChangeOutput: Encodable {
    let sequence: Int64
    /// The place after it, for `--since`.
    let token: HistoryToken
    let id: String
    let time: Date
    @OrNull var author: String?
    @OrNull var device: String?
    @OrNull var undone: String?
    let entities: [String]
    let count: Int

    init(_ transaction: HistoryTransaction) {
        sequence = transaction.sequence
        token = transaction.token
        id = transaction.id.uuidString.lowercased()
        time = transaction.date
        entities = transaction.entities
        count = transaction.changes.count
        author = transaction.author
        device = transaction.device
        undone = transaction.undone?.uuidString.lowercased()
    }

    var line: String {
        // A stage of a migration changes tables alone.
        let rows = count == 1 ? "1 row" : count == 0 ? "no rows" : "\(count) rows"
        let names = entities.isEmpty ? "" : " of \(entities.joined(separator: ", "))"
        return [
            "\(sequence)", TimeText.short(time), author ?? "(no author)", device,
            rows + names, undone.map { "undoes \($0)" },
        ].compactMap(\.self).joined(separator: "  ")
    }
}
