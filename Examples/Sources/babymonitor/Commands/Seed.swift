import ArgumentParser
import BabyMonitorKit
import Foundation
import Switchyard
import SwitchyardCommands

/// `seed`: made-up data for trying things out.
struct Seed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Fills the store with realistic made-up data, the same for the same seed and end.")

    @Option(parsing: .unconditional, help: "How many days of logs: 0 to 500,000.") var days = 30
    @Option(parsing: .unconditional, help: "How many babies: 1 to 1,000.") var babies = 2
    @Option(parsing: .unconditional, help: "The random seed; each one gives different data.")
    var seed: UInt64 = 1
    @Option(
        help: ArgumentHelp("When the logs end, if not now: \(TimeText.forms).", valueName: "time"),
        transform: TimeText.init)
    var until: TimeText?
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        do {
            _ = try SampleData(babies: babies, days: days, endingAt: Date(), seed: seed)
        } catch let error as BabyMonitorError { throw ValidationError(error.message) }
    }

    func run() async throws {
        try await Session.run(options.call, for: .filling) { session in
            let end = try until?.start(session) ?? Date()
            let samples = try SampleData(babies: babies, days: days, endingAt: end, seed: seed)
            do {
                try await session.store.seed(samples)
            } catch let error as StoreError where error.code == .unique {
                throw BabyMonitorError(
                    .invalidArgument,
                    "The store holds these samples already: the same seed and end give the same rows. Nothing was added; "
                        + "give another --seed.")
            }
            let (feeds, diapers) = (
                babies * days * SampleData.feedsPerDay, babies * days * SampleData.diapersPerDay
            )
            if options.json {
                return try Terminal.print(json: ["babies": babies, "feeds": feeds, "diapers": diapers])
            }
            Terminal.print(
                "Added \(Terminal.count(babies, "baby", "babies")), \(Terminal.count(feeds, of: .feeds)) and "
                    + "\(Terminal.count(diapers, of: .diapers)).")
        }
    }
}
