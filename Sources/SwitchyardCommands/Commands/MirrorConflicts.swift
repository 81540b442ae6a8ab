package import ArgumentParser
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardMirror

extension MirrorCommand {
    package struct Conflicts: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "conflicts",
                abstract: "Shows values that merges did not keep, and writes that the server has rejected.",
                discussion:
                    "Each has an id, by which it is restored or dismissed, or made again or discarded.")
        }

        @Option(
            help: ArgumentHelp("Write the values that were not kept, and dismiss the entry.", valueName: "id")
        )
        var restore: String?
        @Option(help: ArgumentHelp("Remove the entry from this device's log.", valueName: "id"))
        var dismiss: String?
        @Option(help: ArgumentHelp("Make a rejected write again.", valueName: "id")) var retry: String?
        @Option(help: ArgumentHelp("Forget a rejected write.", valueName: "id")) var discard: String?
        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func validate() throws {
            guard [restore, dismiss, retry, discard].compactMap({ $0 }).count <= 1 else {
                throw ValidationError("Give one of --restore, --dismiss, --retry and --discard.")
            }
        }

        package func run() async throws {
            let decides = [restore, dismiss, retry, discard].contains { $0 != nil }
            try await Session.run(call, for: decides ? .changing : .inspecting) { session in
                let store = session.store
                let (conflicts, rejected) = (
                    try await store.mirrorConflicts(), try await store.rejectedWrites()
                )
                if let restore { try await store.restore(try Self.find(restore, in: conflicts)) }
                if let dismiss { try await store.dismiss(try Self.find(dismiss, in: conflicts)) }
                if let retry { try await store.retry(try Self.find(retry, in: rejected)) }
                if let discard { try await store.discard(try Self.find(discard, in: rejected)) }
                let output = ConflictsOutput(
                    conflicts: try await store.mirrorConflicts().map { ConflictOutput($0) },
                    rejected: try await store.rejectedWrites().map { RejectedOutput($0) })
                if call.json { return try Terminal.print(json: output) }
                Terminal.print(lines: output.lines)
            }
        }

        private static func find<Entry: Identifiable>(
            _ text: String, in entries: [Entry]
        ) throws -> Entry where Entry.ID == UUID {
            guard let id = UUID(uuidString: text) else {
                throw UsageError("`\(text)` is not an id, which is a UUID.")
            }
            guard let entry = entries.first(where: { $0.id == id }) else {
                throw StoreError(
                    .notFound,
                    "There is no such entry; the command without options shows those that there are. Nothing was changed."
                )
            }
            return entry
        }
    }
}

/// What waits for a decision in the command's output.
private struct ConflictsOutput: Encodable {
    let conflicts: [ConflictOutput]
    let rejected: [RejectedOutput]

    var lines: [String] {
        guard !conflicts.isEmpty || !rejected.isEmpty else { return ["There are no conflicts."] }
        return conflicts.flatMap(\.lines) + rejected.flatMap(\.lines)
    }
}

private struct ConflictOutput: Encodable {
    let id: String
    let date: Date
    @OrNull var device: String?
    let reason: String
    let entity: String
    let row: String
    let values: [Value]

    struct Value: Encodable {
        let attribute: String
        let losing: StoredValue
        @OrNull var winning: StoredValue?

        init(_ value: MirrorConflict.Value) {
            (attribute, losing) = (value.attribute, value.losing)
            winning = value.winning
        }
    }

    init(_ conflict: MirrorConflict) {
        id = conflict.id.uuidString.lowercased()
        date = conflict.date
        reason = conflict.reason.rawValue
        entity = conflict.entity
        row = conflict.row.uuidString.lowercased()
        values = conflict.values.map { Value($0) }
        device = conflict.device
    }

    var lines: [String] {
        let what =
            switch reason {
            case "edited": "two edits of"
            case "deleted": "a change of the deleted"
            case "parentDeleted": "deleted with what it refers to:"
            case "damaged": "a damaged row of"
            default: "the unique key is taken of"
            }
        return ["\(id)  \(what) \(entity) \(row)" + (device.map { ", met by \($0)" } ?? "")]
            + values.map { value in
                let kept = value.winning.map { ", kept \($0.literal)" } ?? ""
                return "  \(value.attribute): lost \(value.losing.literal)\(kept)"
            }
    }
}

private struct RejectedOutput: Encodable {
    let id: String
    let date: Date
    @OrNull var author: String?
    let reason: String
    let entity: String
    @OrNull var attribute: String?
    let changes: [String]

    init(_ rejected: RejectedWrite) {
        id = rejected.id.uuidString.lowercased()
        date = rejected.date
        reason = rejected.reason.rawValue
        entity = rejected.entity
        changes = rejected.changes.map {
            "\($0.kind.rawValue) \($0.entity) \($0.row.uuidString.lowercased())"
        }
        author = rejected.author
        attribute = rejected.attribute
    }

    var lines: [String] {
        let why =
            switch reason {
            case "unique": "another \(entity) has its unique key"
            case "reference": "a row of \(entity) is missing, or protected by another"
            case "value": "\(entity) does not allow a value" + (attribute.map { " of \($0)" } ?? "")
            case "role": "you may only read here"
            case "membership": "the membership of the household had ended"
            default: "it may have been carried out before"
            }
        return ["\(id)  rejected, since \(why)"] + changes.map { "  \($0)" }
    }
}
