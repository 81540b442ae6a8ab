import ArgumentParser
import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCommands

/// `event-type add|list|edit|remove`.
struct EventType: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event-type", abstract: "Adds, lists, changes and removes the types of custom events.",
        subcommands: [Add.self, List.self, Edit.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds a type of custom event.")

        @Argument(help: "The type's name, such as Bath.") var name: String
        @Option(help: "The type's emoji, such as 🛁.") var emoji: String
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .filling) { session in
                let type = try await session.dashboard.addEventType(named: name, emoji: emoji)
                try EventTypeOutput(type).print("Added", options)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the types in order of creation.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .reading) { session in
                let types = try await session.dashboard.eventTypes().map { EventTypeOutput($0) }
                if options.json { return try Terminal.print(json: types) }
                Terminal.print(lines: types.map(\.line))
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Changes a type. Events already logged keep the old name and emoji.")

        @Argument(help: "The type: its whole name, or its id.") var type: String
        @Option(help: "The new name.") var name: String?
        @Option(help: "The new emoji.") var emoji: String?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard name != nil || emoji != nil else {
                throw ValidationError("Nothing to change: give --name or --emoji.")
            }
        }

        func run() async throws {
            try await Session.run(options.call, for: .changing) { session in
                let id = try await session.eventType(type).id
                let changed = try await session.dashboard.editEventType(id, name: name, emoji: emoji)
                try EventTypeOutput(changed).print("Changed", options)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes a type. Events already logged are kept.")

        @Argument(help: "The type: its whole name, or its id.") var type: String
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .changing) { session in
                let removed = try await session.eventType(type)
                try await session.dashboard.removeEventType(removed.id)
                let output = EventTypeOutput(
                    id: removed.id.description, name: removed.name, emoji: removed.emoji)
                try output.print("Removed", options)
            }
        }
    }
}

extension Session {
    /// The event type with this id or full name.
    fileprivate func eventType(_ text: String) async throws -> EventTypeEntity {
        try await find(EventTypeEntity.self, text, by: .whole, listedBy: "event-type list", as: "eventType")
    }
}

/// An event type in the command's output.
private struct EventTypeOutput: Encodable {
    let id: String
    let name: String
    let emoji: String

    var line: String { "\(emoji) \(name)  \(id)" }

    func print(_ verb: String, _ options: GlobalOptions) throws {
        if options.json { return try Terminal.print(json: self) }
        Terminal.print("\(verb) \(emoji) \(name) (\(id)).")
    }
}

extension EventTypeOutput {
    init(_ type: CustomEventType) {
        self.init(id: type.id.description, name: type.name, emoji: type.emoji)
    }
}
