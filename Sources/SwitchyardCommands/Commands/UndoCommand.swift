public import ArgumentParser
internal import Foundation
internal import SwitchyardCore

/// `undo`: takes back the last change made on this device.
public struct UndoCommand<App: StoreApp>: AsyncParsableCommand {
    /// The word `undo`.
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "undo", abstract: "Undoes the last change made on this device.",
            discussion:
                "Run again, it undoes the change before that one. All that one command changed is one change, even an import of many rows."
        )
    }

    @Flag(help: "Only show the last 20 changes not yet undone, the last one first.") var list = false
    @OptionGroup var place: App.Place
    @OptionGroup var options: App.Options

    /// Creates the declaration that the parser reads.
    public init() {}

    private var call: StoreCall { StoreCall(place, options) }

    /// Undoes the last change that was made on this device.
    ///
    /// - Throws: `undoConflict`, with the change that is in the way; as opening the store for writing.
    public func run() async throws {
        try await StoreSession<App>.run(call, for: list ? .reading : .changing) { session in
            if list {
                let changes = try await session.store.read { tx in
                    try tx.undoable(device: StoreSession<App>.deviceName, limit: 20).map { ChangeOutput($0) }
                }
                if call.json { return try Terminal.print(json: changes) }
                return Terminal.print(lines: changes.map(\.line))
            }
            let isUndone: Bool
            do {
                isUndone = try await session.store.undoLast(device: StoreSession<App>.deviceName) != nil
            } catch let error as StoreError where error.code == .undoConflict {
                throw try await session.naming(error)
            }
            if call.json { return try Terminal.print(json: ["isUndone": isUndone]) }
            Terminal.print(isUndone ? "Undid the last change." : "There is nothing to undo.")
        }
    }
}

extension StoreSession {
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
