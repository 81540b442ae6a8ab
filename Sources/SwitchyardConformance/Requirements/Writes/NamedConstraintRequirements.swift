internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement T6 for rows that violate several constraints at once.
enum NamedConstraintRequirements {
    static let all: [Requirement] = [
        Requirement(
            "T6+order",
            "of several constraints that a row violates, the error names that of the id, or else the first declared"
        ) { contract in
            let store = try await contract.makeStore()
            let first = Ticket(number: 1, row: "A", seat: 1, gate: "G", isOpen: true)
            let second = Ticket(number: 2, row: "B", seat: 2, gate: "H", isOpen: true)
            try await store.write { _ = try $0.insert(contentsOf: [first, second]) }
            for (constraint, what, write) in refused(first, second) {
                let error = try await contract.expectError(.unique, what) {
                    try await store.write { try write($0) }
                }
                try contract.expectEqual(
                    error.constraint, constraint, "the constraint of the error of \(what)")
            }
        }
    ]

    private typealias Write = @Sendable (WriteTransaction) throws -> Void

    /// Writes beside two tickets, with the constraint that the error of each names.
    private static func refused(
        _ first: Ticket, _ second: Ticket
    ) -> [(constraint: String, what: String, write: Write)] {
        let (number, place) = ("unique_Ticket_number", "unique_Ticket_row_seat")
        /// A ticket with the place and the gate of the first one.
        @Sendable func copy(_ number: Int) -> Ticket {
            Ticket(number: number, row: "A", seat: 1, gate: "G", isOpen: true)
        }
        return [
            ("primary_Ticket", "a ticket inserted twice", { try $0.insert(first) }),
            (number, "a ticket with another's number, place and gate", { try $0.insert(copy(1)) }),
            (place, "a ticket with another's place and gate", { try $0.insert(copy(3)) }),
            (
                place, "a ticket with the place of one and the gate of another",
                { try $0.insert(Ticket(number: 3, row: "B", seat: 2, gate: "G", isOpen: true)) }
            ),
            (
                number, "an updated ticket with another's number, place and gate",
                { tx in
                    try tx.update(
                        Ticket(id: second.id, number: 1, row: "A", seat: 1, gate: "G", isOpen: true))
                }
            ),
            (
                place, "an update by condition to another's place and gate",
                { tx in
                    try tx.update(
                        Ticket.where(#Predicate { $0.number == 2 }),
                        set: [.set(\.gate, to: "G"), .set(\.seat, to: 1), .set(\.row, to: "A")])
                }
            ),
            (
                place, "an upsert that updates to another's place and gate",
                { try $0.upsert([copy(2)], on: \.number) }
            ),
            (
                place, "an upsert that inserts another's place and gate",
                { try $0.upsert([copy(3)], on: \.number) }
            ),
            (
                "primary_Ticket", "an upsert that inserts another's id and place",
                { tx in
                    try tx.upsert([Ticket(id: first.id, number: 3, row: "A", seat: 1)], on: \.number)
                }
            ),
            (
                number, "a batch whose last ticket has another's number, place and gate",
                { tx in
                    try tx.insert(
                        contentsOf: (10...5_000).lazy.map { $0 == 5_000 ? copy(1) : Ticket(number: $0) })
                }
            ),
            (
                "primary_Ticket", "a batch with a ticket inserted twice",
                { tx in
                    let tickets = (10..<200).map { Ticket(number: $0) }
                    try tx.insert(contentsOf: tickets[..<100] + [second] + tickets[100...])
                }
            ),
            (
                place, "a batch of two tickets at one place and gate",
                { tx in
                    let tickets = (10..<200).map { Ticket(number: $0) }
                    let twins = (7...8).map { Ticket(number: $0, row: "C", seat: 3, gate: "K", isOpen: true) }
                    try tx.insert(contentsOf: tickets + twins)
                }
            ),
            (
                number, "a batch that leaves out what is there, with another's number, place and gate",
                { tx in
                    try tx.insertRows(
                        into: "Ticket",
                        [
                            [
                                .uuid(OperationID().uuid), .int(1), .text("A"), .int(1), .text("G"),
                                .bool(true),
                                .int(0),
                            ]
                        ], skippingExisting: true)
                }
            ),
        ]
    }
}
