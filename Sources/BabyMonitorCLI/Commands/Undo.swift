import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard

/// `undo`: takes back the last change made on this device.
struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undoes the last change that was made on this device.",
        discussion:
            "Called again, it undoes the change before that one. Whatever a command has changed is one change, an import of many rows, too."
    )

    @Flag(help: "Only show the last 20 changes not yet undone, the last one first.") var list = false
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await Session.run(options, for: list ? .reading : .changing) { session in
            if list {
                let changes = try await session.store.read { tx in
                    try tx.undoable(device: Session.device.name, limit: 20).map { ChangeOutput($0) }
                }
                if options.json { return try Terminal.print(json: changes) }
                return Terminal.print(lines: changes.map(\.line))
            }
            let isUndone: Bool
            do {
                isUndone = try await session.dashboard.undoLastChange(on: Session.device)
            } catch let error as StoreError where error.code == .undoConflict {
                throw try await session.naming(error)
            }
            if options.json { return try Terminal.print(json: ["isUndone": isUndone]) }
            Terminal.print(isUndone ? "Undid the last change." : "There is nothing to undo.")
        }
    }
}

extension Session {
    /// The error of an undo, which names the change that is in the way.
    fileprivate func naming(_ error: StoreError) async throws -> StoreError {
        guard let id = error.transaction else { return error }
        let other = try await store.read { tx in
            var found: ChangeOutput?
            try tx.forEachTransactionBackwards { transaction in
                if transaction.id == id { found = ChangeOutput(transaction) }
                return found == nil
            }
            return found
        }
        guard let other else { return error }
        return StoreError(
            error.code, "\(error.message) The later change: \(other.line).", entity: error.entity,
            attribute: error.attribute)
    }
}

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
            "\(sequence)", TimeText.short(time), author ?? "(nobody)", device,
            rows + names, undone.map { "undoes \($0)" },
        ].compactMap(\.self).joined(separator: "  ")
    }
}
