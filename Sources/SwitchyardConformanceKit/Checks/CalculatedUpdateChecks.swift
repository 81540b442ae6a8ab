internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirements T6+moved, T+ordered and T+calculated: updates whose values are calculated for each row.
package enum CalculatedUpdateChecks {
    package static let all: [Requirement] = [
        Requirement("T6+moved", "one update moves unique keys from row to row, in any order of the rows") {
            contract in
            let store = try await contract.makeStore()
            func update(_ query: Query<Ticket>, _ change: Change<Ticket>) async throws -> [Int] {
                try await store.write { tx in
                    try tx.update(query, set: [change])
                    return try tx.fetch(Ticket.sorted(by: \.row), \.number)
                }
            }
            try await store.write { tx in
                try tx.insert(
                    contentsOf: ["A", "B", "C", "D"].enumerated().map {
                        Ticket(number: $0, row: $1, seat: $0, gate: "G", isOpen: $0 == 0)
                    })
            }
            let next = #Expression<Ticket, Int> { $0.number + 1 }
            try contract.expectEqual(
                try await update(Ticket.all, .set(\.number, to: next)), [1, 2, 3, 4], "one more")
            let before = #Expression<Ticket, Int> { $0.number - 1 }
            try contract.expectEqual(
                try await update(Ticket.all, .set(\.number, to: before)), [0, 1, 2, 3], "one less")
            let opposite = #Expression<Ticket, Int> { 3 - $0.number }
            try contract.expectEqual(
                try await update(Ticket.all, .set(\.number, to: opposite)), [3, 2, 1, 0],
                "the other way round")
            let swapped = #Expression<Ticket, Int> { $0.number == 3 ? 2 : 3 }
            try contract.expectEqual(
                try await update(Ticket.where(#Predicate { $0.number >= 2 }), .set(\.number, to: swapped)),
                [2, 3, 1, 0], "two numbers swapped")
            try await contract.expectError(.unique, "one more, up to a number that another row has") {
                _ = try await update(Ticket.where(#Predicate { $0.number < 2 }), .set(\.number, to: next))
            }
            let greatest = Int.max
            try await contract.expectError(.arithmetic, "a number beyond the greatest") {
                let all = #Expression<Ticket, Int> { $0.number + greatest }
                _ = try await update(Ticket.all, .set(\.number, to: all))
            }
            let open = try await store.write { tx in
                try tx.updateRows(
                    of: "Ticket",
                    set: [
                        Assignment(
                            attribute: "isOpen",
                            value: .conditional(
                                .compare(.attribute("row"), .equal, .value(.text("C"))), .value(.bool(true)),
                                .value(.bool(false))))
                    ], where: .constant(true))
                return try tx.fetch(Ticket.where(#Predicate { $0.isOpen }), \.row)
            }
            try contract.expectEqual(open, ["C"], "the open ticket of a gate")
            // swift-format-ignore: NeverForceUnwrap
            let seats = try await store.write { tx in
                let seat = #Expression<Ticket, Int> { $0.seat! * 2 }
                try tx.update(Ticket.where(#Predicate { $0.row == "B" }), set: [.set(\.seat, to: nil)])
                try tx.update(Ticket.all, set: [.set(\.seat, to: seat), .set(\.row, to: "A")])
                return try tx.fetch(Ticket.sorted(by: \.seat), \.seat)
            }
            try contract.expectEqual(seats, [nil, 0, 4, 6], "seats, one of them nil")
            try contract.expectEqual(try await store.check(), [], "what the check finds afterwards")
        },
        Requirement("T+ordered", "rows are numbered in any order, and appended after the last one") {
            contract in
            let store = try await contract.makeStore()
            let ids = (0..<4).map { Ticket.ID(BatchSpecimen.id($0)) }
            try await store.write { tx in
                for id in ids { try tx.append(Ticket(id: id, number: 77), to: Ticket.all, by: \.number) }
            }
            func numbers() async throws -> [Int] {
                try await store.read { tx in try ids.compactMap { try tx.find($0)?.number } }
            }
            try contract.expectEqual(try await numbers(), [0, 1, 2, 3], "appended")
            let count = try await store.write { try $0.reorder([ids[2], ids[1], ids[0]], by: \.number) }
            try contract.expectEqual(count, 2, "rows that got another number")
            try contract.expectEqual(try await numbers(), [2, 1, 0, 3], "in another order")
            try await store.write { tx in _ = try tx.reorder(ids.reversed(), by: \.number, from: 10) }
            try contract.expectEqual(try await numbers(), [13, 12, 11, 10], "from ten")
            try await contract.expectError(.unique, "a number that another row has") {
                try await store.write { try $0.reorder([ids[0]], by: \.number, from: 10) }
            }
            try await contract.expectError(.notFound, "a row that does not exist") {
                try await store.write { try $0.reorder([ids[0], Ticket.ID()], by: \.number) }
            }
            try await contract.expectError(.invalidArgument, "a row twice") {
                try await store.write { try $0.reorder([ids[0], ids[0]], by: \.number) }
            }
            let last = try await store.write { tx in
                let query = Ticket.where(#Predicate { $0.number < 12 })
                return try tx.append(Ticket(number: 0), to: query, by: \.count).count
            }
            try contract.expectEqual(last, 1, "one more than the greatest of some rows")
        },
        Requirement(
            "T+calculated", "updates, conditions and orders calculate with decimals, times and figures"
        ) {
            contract in
            let store = try await contract.makeStore()
            @Sendable func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
            let cent = Decimal(string: "0.01") ?? 0
            try await store.write { tx in
                try tx.insert(contentsOf: [
                    Specimen(whole: 1, real: 90, amount: 10, moment: date(1_000)),
                    Specimen(whole: 2, real: 30, amount: cent, moment: date(1_050.000_001)),
                    Specimen(whole: 3),
                ])
            }
            // swift-format-ignore: NeverForceUnwrap
            let found = try await store.write { tx in
                let sum = #Expression<Specimen, Decimal> { $0.amount! * $0.amount! - $0.amount! }
                let week = #Expression<Specimen, Date> { $0.moment! + 604_800 }
                try tx.update(Specimen.all, set: [.set(\.amount, to: sum), .set(\.moment, to: week)])
                return try tx.fetch(Specimen.sorted(by: \.whole))
            }
            try contract.expectEqual(
                found.map(\.amount), [90, Decimal(string: "-0.0099"), nil],
                "products and differences of decimals")
            try contract.expectEqual(
                found.map(\.moment), [date(605_800), date(605_850.000_001), nil], "times a week later")
            let (start, end) = (date(605_710), date(605_885))
            // swift-format-ignore: NeverForceUnwrap
            let late = try await store.read { tx in
                [
                    try tx.fetch(Specimen.where(#Predicate { $0.moment! + $0.real < end }), \.whole),
                    try tx.fetch(
                        Specimen.sorted(
                            by: #Expression { $0.moment! - $0.real }, .descending),
                        \.whole),
                    try tx.fetch(Specimen.where(#Predicate { $0.amount! - 1 > 0 }), \.whole),
                    try tx.fetch(
                        Specimen.where(#Predicate { $0.moment! - $0.real == start }), \.whole),
                ]
            }
            try contract.expectEqual(
                late, [[2], [2, 1, 3], [1], [1]], "rows by what is calculated with times and decimals")
            // swift-format-ignore: NeverForceUnwrap
            let far = #Expression<Specimen, Date> { $0.moment! + 400_000_000_000.0 }
            try await contract.expectError(.arithmetic, "a time after the year 9999") {
                try await store.write { try $0.update(Specimen.all, set: [.set(\.moment, to: far)]) }
            }
            // swift-format-ignore: NeverForceUnwrap
            let none = try await store.read { tx in
                try tx.count(Specimen.where(#Predicate { $0.moment! + 400_000_000_000.0 > end }))
            }
            try contract.expectEqual(none, 0, "rows whose time would be after the year 9999")
            let parts = try await store.write { tx in
                let first = try tx.insert(Sighting(specimen: found[0].id, number: 1)).id
                try tx.insert(contentsOf: [
                    Sighting(specimen: found[0].id, previous: first, number: 5),
                    Sighting(specimen: found[0].id, previous: first, number: 7),
                ])
                let count = #Expression<Sighting, Int> { $0.following[\.count] }
                try tx.update(Sighting.all, set: [.set(\.number, to: count)])
                return try tx.fetch(Sighting.sorted(by: \.number), \.number)
            }
            try contract.expectEqual(parts, [0, 0, 2], "numbers of related rows")
        },
    ]
}
