import ArgumentParser
import BabyMonitor
import Foundation
import Switchyard
import SwitchyardTransfer
import Synchronization

extension StoreCommand {
    /// `store switch --to URL`.
    struct Switch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "switch",
            abstract: "Moves all rows to a new store, of the same backend or of another.",
            discussion: """
                Apps go on writing to the store meanwhile. Both stores are compared before the new one takes over; from then on \
                the old one can only be read, and says where the data is. What was interrupted goes on with --resume.
                """)

        @Option(
            help: ArgumentHelp(
                "Where the data goes: a place without a store, as sqlite:PATH or postgres://….",
                valueName: "url"))
        var to: String
        @Flag(help: "Go on with a switch that was interrupted.") var resume = false
        @Flag(help: "Give up a switch that was interrupted, and use the old store as before.") var abort =
            false
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if resume, abort { throw ValidationError("Give --resume or --abort, not both.") }
        }

        func run() async throws {
            let target = try await Session.target(to, options)
            let (source, places) = try await Session.source(options)
            let change = StoreSwitch(from: source, to: target, registry: places)
            let isUnderWay = try await change.isUnderWay()
            if abort {
                try await change.abort()
                if !options.json {
                    Terminal.print("The switch is given up; the old store is the one to use.")
                }
                return
            }
            guard isUnderWay == resume else {
                throw StoreError(
                    .invalidArgument,
                    resume
                        ? "No switch of this store is under way. Leave --resume out to begin one."
                        : "A switch of this store was begun before. Go on with it with --resume, or give it up with --abort."
                )
            }
            let printer = ProgressPrinter(isJSON: options.json)
            let report = try await Interruption.cancelling { try await change.run { printer.tell($0) } }
            let entities = report.map { $0.entities.map { EntityOutput($0) } } ?? []
            if options.json { return try Terminal.print(json: entities, onOneLine: true) }
            Terminal.print(lines: entities.flatMap(\.lines))
            Terminal.print(
                "The data is in \(target.location) now; the old store is kept, and can only be read.")
        }
    }
}

/// Prints how far a switch has come: each step once, and of long ones a line for each second.
private final class ProgressPrinter: Sendable {
    private let isJSON: Bool
    private let last = Mutex<(step: SwitchProgress.Step, second: Int64)?>(nil)

    init(isJSON: Bool) { self.isJSON = isJSON }

    func tell(_ progress: SwitchProgress) {
        let now = (step: progress.step, second: progress.elapsed.components.seconds)
        let isNew = last.withLock { last in
            if let last, last == now { return false }
            last = now
            return true
        }
        guard isNew else { return }
        if isJSON {
            try? Terminal.print(json: ProgressOutput(progress), onOneLine: true)
        } else {
            let rows = "\(progress.rows) of \(Terminal.count(progress.total, "row", "rows"))"
            Terminal.print("\(progress.step.rawValue)  \(rows)")
        }
        try? Terminal.flush()
    }
}

/// How far a switch has come, in the command's output.
private struct ProgressOutput: Encodable {
    let step: String
    let rows: Int
    let total: Int
    let seconds: Double
    /// The number of rows copied each second so far.
    let rowsPerSecond: Double

    init(_ progress: SwitchProgress) {
        step = progress.step.rawValue
        (rows, total) = (progress.rows, progress.total)
        seconds = progress.elapsed / .seconds(1)
        rowsPerSecond = seconds > 0 ? Double(rows) / seconds : 0
    }
}
