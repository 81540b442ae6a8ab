import ArgumentParser
import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCommands

/// `baby add|list|edit|remove`.
struct Baby: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "baby", abstract: "Adds, lists, changes and removes babies.",
        subcommands: [Add.self, List.self, Edit.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Adds a baby.")

        @Argument(help: "The baby's name.") var name: String
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Minutes from one feed to the next: 30 to 480 in steps of 15.", valueName: "minutes"))
        var feedTerm: Int?
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .filling) { session in
                let baby = try await session.dashboard.addBaby(named: name, feedTermMinutes: feedTerm)
                try BabyOutput(baby).print("Added", options)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the babies by name.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .reading) { session in
                let babies = try await session.dashboard.babies().map { BabyOutput($0) }
                if options.json { return try Terminal.print(json: babies) }
                Terminal.print(lines: babies.map(\.line))
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit", abstract: "Changes a baby's name or feeding interval.")

        @Argument(help: "The baby: its whole name, or its id.") var baby: String
        @Option(help: "The new name.") var name: String?
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Minutes from one feed to the next: 30 to 480 in steps of 15.", valueName: "minutes"))
        var feedTerm: Int?
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard name != nil || feedTerm != nil else {
                throw ValidationError("Nothing to change: give --name or --feed-term.")
            }
        }

        func run() async throws {
            try await Session.run(options.call, for: .changing) { session in
                let id = try await session.baby(baby, by: .whole).id
                let changed = try await session.dashboard.editBaby(id, name: name, feedTermMinutes: feedTerm)
                try BabyOutput(changed).print("Changed", options)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract:
                "Removes a baby and its custom events. Its feeds and diaper changes stay, without a baby.")

        @Argument(help: "The baby: its whole name, or its id.") var baby: String
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await Session.run(options.call, for: .changing) { session in
                let removed = try await session.baby(baby, by: .whole)
                try await session.dashboard.removeBaby(removed.id)
                try BabyOutput(removed).print("Removed", options)
            }
        }
    }
}

/// A baby in the command's output.
struct BabyOutput: Encodable {
    let id: String
    let name: String
    let createdAt: Date
    let feedTermMinutes: Double

    init(_ baby: BabyProfile) {
        id = baby.id.description
        name = baby.name
        createdAt = baby.createdAt
        feedTermMinutes = baby.feedTerm / 60
    }

    var line: String { "\(name)  \(id)  a feed every \(feedTermMinutes.formatted()) min" }

    func print(_ verb: String, _ options: GlobalOptions) throws {
        if options.json { return try Terminal.print(json: self) }
        Terminal.print("\(verb) \(name) (\(id)).")
    }
}
