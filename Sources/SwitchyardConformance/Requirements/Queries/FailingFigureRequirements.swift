internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// What Q7 says of figures over rows of which one fails: which rows are looked at does not depend on how a backend
/// finds them.
enum FailingFigureRequirements {
    static let all: [Requirement] = [
        Requirement("Q7+failing", "a figure over rows of which one fails is an error, whatever the figure") {
            contract in
            try await failing(contract)
        }
    ]

    private static func failing(_ contract: Contract) async throws {
        let store = try await contract.makeStore()
        // The row that fails is neither the first nor the last of any order.
        try await store.write { tx in
            _ = try tx.insert(
                contentsOf: (0..<9).map { number in
                    Specimen(
                        id: Specimen.ID(BatchSpecimen.id(number)), flag: number < 4, whole: number - 4,
                        real: Double(number), amount: Decimal(number), text: "\(number)",
                        moment: Date(timeIntervalSince1970: Double(number)))
                })
        }
        let quotient = Operand.arithmetic(.value(.int(12)), .divide, .attribute("whole"))
        let fails = Specimen.matching(.compare(quotient, .lessOrEqual, .value(.int(12))))
        let passes = Specimen.matching(
            .all([
                .compare(.attribute("whole"), .notEqual, .value(.int(0))),
                .compare(quotient, .lessOrEqual, .value(.int(12))),
            ]))
        let figures: [(String, @Sendable (Query<Specimen>, ReadTransaction) throws -> String)] = [
            ("the number of rows", { "\(try $1.count($0))" }),
            ("the number of rows as a figure", { "\(try $1.aggregate($0, .count))" }),
            ("the least id", { try $1.aggregate($0, .minimum(\.id))?.description ?? "nil" }),
            ("the greatest id", { try $1.aggregate($0, .maximum(\.id))?.description ?? "nil" }),
            ("the least indexed number", { "\(try $1.aggregate($0, .minimum(\.whole)) ?? 99)" }),
            ("the greatest indexed number", { "\(try $1.aggregate($0, .maximum(\.whole)) ?? 99)" }),
            (
                "the greatest indexed time",
                { try $1.aggregate($0, .maximum(\.moment)) == nil ? "nil" : "some" }
            ),
            ("the least decimal", { "\(try $1.aggregate($0, .minimum(\.amount)) ?? 99)" }),
            (
                "the least and the greatest text",
                {
                    let (least, most) = try $1.aggregate($0, .minimum(\.text), .maximum(\.text))
                    return "\(least ?? "nil") \(most ?? "nil")"
                }
            ),
            ("a sum of integers", { "\(try $1.aggregate($0, .sum(\.whole)))" }),
            ("an average of doubles", { "\(try $1.aggregate($0, .average(\.real)) ?? -1)" }),
            (
                "groups",
                {
                    try $1.aggregate($0, by: .attribute(\.flag), figures: .count).map {
                        "\($0.key) \($0.figures)"
                    }
                    .joined(separator: ", ")
                }
            ),
        ]
        let answers = [
            "8", "8", BatchSpecimen.text(0), BatchSpecimen.text(8), "-4", "4", "some", "0", "0 8", "0", "4.0",
            "false 4, true 4",
        ]
        for ((what, figure), answer) in zip(figures, answers) {
            try await contract.expectError(.arithmetic, "\(what) over rows of which one fails") {
                try await store.read { try figure(fails, $0) }
            }
            try contract.expectEqual(
                try await store.read { try figure(passes, $0) }, answer,
                "\(what) over rows of which the failing one is left out before")
        }
        try await contract.expectError(.arithmetic, "the first of rows of which one fails") {
            try await store.read { try $0.first(fails.sorted(by: \.whole)) }
        }
        try await contract.expectError(.arithmetic, "a page of rows of which one fails") {
            try await store.read { try $0.page(fails, size: 1) }
        }
        try await contract.expectError(.arithmetic, "an update of rows of which one fails") {
            try await store.write { try $0.update(fails, set: [.set(\.text, to: "changed")]) }
        }
        try await contract.expectError(.arithmetic, "a delete of rows of which one fails") {
            try await store.write { try $0.delete(fails) }
        }
        let texts = try await store.read { try $0.fetch(Specimen.all, \.text) }
        try contract.expectEqual(
            texts, (0..<9).map { "\($0)" }, "the rows after an update and a delete that fail")
    }
}
