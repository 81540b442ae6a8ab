package import ArgumentParser
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardMirror

extension MirrorCommand {
    package struct Verify: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "verify",
                abstract: "Exchanges, and compares the store's rows with the server's.",
                discussion: """
                    The rows are compared in parts, through the service if there is one; writes can go on meanwhile. They can \
                    differ only if the file or the server's database was damaged, or changed by another program.
                    """)
        }

        @Flag(
            help:
                "Take the server's rows where they differ; what they replace is shown by the command conflicts."
        )
        var repair = false
        @OptionGroup package var place: App.Place
        @OptionGroup var server: ServerOptions
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let call = server.describe(call)
            try await Session.run(call, for: .changing) { session in
                try await session.requireMirrored()
                let found = try await session.mirroring(required: true) { mirror in
                    try await mirror?.compare(repairing: repair) ?? []
                }
                let outputs = found.map { ComparisonOutput($0) }
                if call.json {
                    try Terminal.print(json: outputs)
                } else {
                    Terminal.print(lines: outputs.map(\.line))
                }
                guard found.allSatisfy({ $0.isEqual || $0.isRepaired }) else {
                    throw StoreError(
                        .verification,
                        "The store and the server do not hold the same rows, as shown above. Take the server's rows by --repair, "
                            + "or compare both with a backup. Nothing was changed.")
                }
            }
        }
    }
}

/// What a comparison has found of an entity in the command's output.
private struct ComparisonOutput: Encodable {
    let entity: String
    let isEqual: Bool
    let isRepaired: Bool
    let rows: Int
    let parts: Int
    let differences: Int
    /// The ids of the first 100 rows that differ.
    let different: [String]

    init(_ comparison: MirrorComparison) {
        (entity, isEqual) = (comparison.entity, comparison.isEqual)
        isRepaired = comparison.isRepaired
        (rows, parts) = (comparison.rows, comparison.parts)
        differences = comparison.differences
        different = comparison.different.map { $0.uuidString.lowercased() }
    }

    var line: String {
        let (rows, parts) = (
            Terminal.count(rows, "row", "rows"), Terminal.count(parts, "part", "parts")
        )
        let differing = "\(Terminal.count(differences, "row differs", "rows differ"))"
        let shown = different.prefix(10).joined(separator: ", ")
        let result =
            isEqual
            ? "equal"
            : "\(differing)\(isRepaired ? ", repaired" : ""): \(shown)\(differences > 10 ? ", …" : "")"
        return "\(entity): \(rows), \(parts): \(result)"
    }
}
