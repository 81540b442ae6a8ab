internal import Foundation
internal import Switchyard

/// Requirement Q2 for cursors: a cursor continues only its own query.
enum CursorRequirements {
    static let all: [Requirement] = [
        Requirement("Q2+cursor", "a cursor of another query is refused") { contract in
            let store = try await contract.makeStore()
            try await store.write { _ = try $0.insert(contentsOf: (0..<6).map { Ticket(number: $0) }) }
            let query = Ticket.where(#Predicate { $0.number > 0 }).sorted(by: \.number)
            let next = try await store.read { try $0.page(query, size: 2).next }
            let others = [
                ("a constant", Ticket.where(#Predicate { $0.number > 1 }).sorted(by: \.number)),
                ("a condition", Ticket.where(#Predicate { $0.count > 0 }).sorted(by: \.number)),
                ("no condition", Ticket.sorted(by: \.number)),
                ("a direction", Ticket.where(#Predicate { $0.number > 0 }).sorted(by: \.number, .descending)),
                ("an order", Ticket.where(#Predicate { $0.number > 0 }).sorted(by: \.count)),
            ]
            for (what, other) in others {
                try await contract.expectError(
                    .invalidArgument, "a cursor of a query that differs by \(what)"
                ) {
                    try await store.read { try $0.page(other, size: 2, after: next) }
                }
            }
            try await contract.expectError(.invalidArgument, "a cursor of another model's query") {
                try await store.read { try $0.page(Note.all, size: 2, after: next) }
            }
            let rest = try await store.read { try $0.page(query, size: 9, after: next) }
            try contract.expectEqual(
                rest.items.map(\.number), [3, 4, 5], "the rows after the cursor of the query")
        }
    ]
}
