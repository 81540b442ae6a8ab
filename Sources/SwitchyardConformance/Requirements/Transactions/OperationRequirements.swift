internal import Foundation
internal import Switchyard

/// Requirement T4 for how long an operation id is remembered.
enum OperationRequirements {
    static let all: [Requirement] = [
        Requirement("T4+aged", "an operation id is known for seven days, and then forgotten") { contract in
            let store = try await contract.makeStore()
            let (old, young, fresh) = (OperationID(), OperationID(), OperationID())
            try await store.write(WriteOptions(operation: old)) { _ = try $0.insert(Ticket(number: 1)) }
            guard try await contract.ageOperations(of: store, by: .seconds(2 * 86_400)) else { return }
            try await store.write(WriteOptions(operation: young)) { _ = try $0.insert(Ticket(number: 2)) }
            try contract.expectEqual(
                [try await store.wasCommitted(old), try await store.wasCommitted(young)], [true, true],
                "the outcomes of an operation of two days ago and of one of today")
            guard try await contract.ageOperations(of: store, by: .seconds(6 * 86_400)) else { return }
            try await store.write(WriteOptions(operation: fresh)) { _ = try $0.insert(Ticket(number: 3)) }
            // A store may forget old ids only in some of its writes, and always keep the last thousand of them,
            // because its clock may be wrong.
            var writes = 0
            while writes < 3_000, try await store.wasCommitted(old) {
                try await store.write(WriteOptions(operation: OperationID())) { _ in }
                writes += 1
            }
            try contract.expectEqual(
                [
                    try await store.wasCommitted(old), try await store.wasCommitted(young),
                    try await store.wasCommitted(fresh),
                ], [false, true, true],
                "the outcomes of operations of eight days ago, six days ago and today")
            try await store.write(WriteOptions(operation: old)) { _ = try $0.insert(Ticket(number: 4)) }
            try contract.expectEqual(
                try await store.wasCommitted(old), true, "the outcome of a forgotten id that is used again")
            try contract.expectEqual(try await store.read { try $0.count(Ticket.all) }, 4, "rows afterwards")
        }
    ]
}
