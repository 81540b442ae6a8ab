package import ArgumentParser
internal import SwitchyardCSV
internal import SwitchyardCore
internal import SwitchyardQuery

extension StoreCommand {
    /// `store query`.
    package struct Query: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "query", abstract: "Answers a question about the store's rows.",
                discussion: """
                    The question is one argument, in quotes:

                      Feed where baby.name = "Mia" and start >= 2026-01-01 sort start desc limit 10
                      Baby sort name include count(feeds), first(feeds sort start desc show start)
                      Feed where end is not null by day(start) count, sum(amount) having count > 3 sort count desc
                      Feed by month(start in "Europe/Berlin") count(where end is null) as open, running(count)

                    Conditions: = != < <= > >=, contains, starts with, ends with, in (…), is null, and, or, not, \
                    has RELATIONSHIP where (…), count(RELATIONSHIP) >= 3, amount * 2 > baby.weight, which sort as well. \
                    Days and times are in UTC unless a time names \
                    its zone. Without a limit, the first \(AnswerOutput.mostRows) rows are shown. A table cuts long \
                    values off; CSV and JSON have them whole. Only JSON has lists of related rows, as in \
                    `Baby include feeds(limit 3)`.
                    """)
        }

        @OptionGroup package var place: App.Place
        @Argument(help: ArgumentHelp("What is asked, as one argument.", valueName: "question")) var question:
            String
        @Option(help: ArgumentHelp("The form of the answer; a table by default.", valueName: "form"))
        var format: AnswerOutput.Format?
        @Flag(
            help: "Show how the store finds the answer: statements, the database's plans and missing indexes."
        )
        var explain = false
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let format = try requiredFormat()
            try await Session.run(call, for: .inspecting) { session in
                var query = try StoredQuery(parsing: question, schema: session.store.schema)
                let isBounded = query.limit != nil
                if !isBounded { query.limit = AnswerOutput.mostRows + 1 }
                if explain {
                    let plans = try await session.store.read { [query] tx in
                        try tx.explain { try $0.answer(query) }
                    }
                    return Terminal.print(
                        lines: plans.flatMap { $0.description.split(separator: "\n").map(String.init) })
                }
                let answer = try await session.store.read { [query] in try $0.answer(query) }
                try AnswerOutput(answer, isBounded: isBounded).show(as: format) { Session.note($0) }
            }
        }

        private func requiredFormat() throws -> AnswerOutput.Format {
            guard !explain || !call.json && format == nil else {
                throw UsageError("--explain prints text. Leave --json and --format out.")
            }
            guard call.json, let format, format != .json else { return call.json ? .json : format ?? .table }
            throw UsageError("--json and --format \(format.rawValue) contradict each other. Leave one out.")
        }
    }
}
