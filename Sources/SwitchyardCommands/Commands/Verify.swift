package import ArgumentParser
internal import Foundation
internal import SwitchyardCore
internal import SwitchyardTransfer

extension StoreCommand {
    /// `store verify A B`.
    package struct Verify: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "verify",
                abstract: "Compares the rows of two stores, on the same backend or two.",
                discussion: """
                    The command reads every row of both stores and changes nothing. Pause all writes meanwhile.
                    """)
        }

        @Argument(help: ArgumentHelp("The first store: sqlite:PATH or postgres://….", valueName: "url"))
        var first: String
        @Argument(help: ArgumentHelp("The second store.", valueName: "url")) var second: String
        @OptionGroup package var options: App.Options

        package init() {}

        private var call: StoreCall {
            var call = StoreCall(NoStoreArguments(), options)
            call.storeArgument = "<url>"
            return call
        }

        package func validate() throws {
            if call.store != nil {
                throw ValidationError("The two stores are the arguments; leave --store out.")
            }
        }

        package func run() async throws {
            let report = try await Session.run(call.selecting(App.storeURL(first)), for: .inspecting) { one in
                try await Session.run(call.selecting(App.storeURL(second)), for: .inspecting) { two in
                    try await one.store.verify(against: two.store)
                }
            }
            try report.show(asJSON: call.json)
            guard report.isEqual else {
                throw StoreError(
                    .verification,
                    "The stores do not hold the same sound rows, as shown above. Nothing was changed.")
            }
            if !call.json {
                let rows = Terminal.count(report.sampledRows, "row", "rows")
                Terminal.print(
                    "Both stores hold the same rows; compared value by value: \(rows) drawn at random.")
            }
        }
    }
}

extension VerificationReport {
    /// Prints what was found of each entity.
    func show(asJSON isJSON: Bool) throws {
        let entities = entities.map { EntityOutput($0) }
        if isJSON { return try Terminal.print(json: entities) }
        Terminal.print(lines: entities.flatMap(\.lines))
    }
}

/// What was found of an entity in the command's output.
struct EntityOutput: Encodable {
    let entity: String
    let isEqual: Bool
    /// The number of rows and the digest, of the first store and of the second.
    let rows: [Int], digests: [String]
    let differences: [Difference]
    let danglingReferences: [Dangling]

    struct Difference: Encodable {
        let id: String
        let kind: String
        /// The attributes that differ; empty for a row that only one of the stores has.
        let attributes: [String]

        init(_ difference: RowDifference) {
            id = difference.id.uuidString.lowercased()
            switch difference.kind {
            case .onlyInFirst: (kind, attributes) = ("onlyInFirst", [])
            case .onlyInSecond: (kind, attributes) = ("onlyInSecond", [])
            case .attributes(let names): (kind, attributes) = ("attributes", names)
            }
        }

        var line: String {
            switch kind {
            case "onlyInFirst": "  \(id) is only in the first store"
            case "onlyInSecond": "  \(id) is only in the second store"
            default: "  \(id) differs in \(attributes.joined(separator: ", "))"
            }
        }
    }

    struct Dangling: Encodable {
        let attribute: String
        let rows: [Int]
    }

    init(_ comparison: EntityComparison) {
        entity = comparison.entity
        isEqual = comparison.isEqual
        rows = [comparison.first.count, comparison.second.count]
        digests = [comparison.first.description, comparison.second.description]
        differences = comparison.differences.map { Difference($0) }
        danglingReferences = comparison.danglingReferences.map {
            Dangling(attribute: $0.attribute, rows: [$0.first, $0.second])
        }
    }

    var lines: [String] {
        let counts = rows.map { Terminal.count($0, "row", "rows") }
        let head =
            rows[0] == rows[1] && digests[0] == digests[1]
            ? "\(entity): \(counts[0]), \(digests[0])"
            : "\(entity): \(counts[0]), \(digests[0]), and \(counts[1]), \(digests[1])"
        return ["\(head): \(isEqual ? "equal" : "DIFFERENT")"] + differences.map(\.line)
            + danglingReferences.map {
                "  \($0.attribute) leads nowhere in \($0.rows[0]) and \($0.rows[1]) rows"
            }
    }
}
