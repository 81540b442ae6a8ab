internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement T4 for how long an operation id is remembered, and by whom.
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
        },
        Requirement(
            "T4+adopted", "the ids of committed writes can be listed, and taken over by another store"
        ) { contract in
            let (first, second) = (try await contract.makeStore(), try await contract.makeStore())
            let ids = (0..<25).map { _ in OperationID() }.shuffled()
            for (number, id) in ids.enumerated() {
                try await first.write(WriteOptions(operation: id)) {
                    _ = try $0.insert(Ticket(number: number))
                }
            }
            let known = OperationID()
            try await second.write(WriteOptions(operation: known)) { _ = try $0.insert(Ticket(number: 2)) }
            let listed = try await first.read { tx in
                var (listed, last): ([CommittedOperation], OperationID?) = ([], nil)
                while true {
                    let part = try tx.driver.maintenance.operations(after: last, limit: 10)
                    listed += part
                    guard part.count == 10 else { return listed }
                    last = part.last?.id
                }
            }
            try contract.expectEqual(
                listed.map(\.id.uuid), ids.map(\.uuid).sorted(), "the ids of a store, ten at a time")
            let now = Date().timeIntervalSince1970 * 1_000_000
            let oldest = listed.map { abs(Double($0.time) - now) }.max() ?? 0
            try contract.expectEqual(
                oldest < 3_600 * 1_000_000, true, "whether the times are those of the commits")
            for _ in 1...2 {
                try await second.write { tx in
                    try tx.driver.maintenance.adopt(
                        listed + [CommittedOperation(known, time: listed[0].time)])
                }
            }
            for id in ids + [known] {
                try contract.expectEqual(
                    try await second.wasCommitted(id), true, "the outcome of a write whose id was taken over")
            }
            try await contract.expectError(.duplicateOperation, "a write with an id that was taken over") {
                try await second.write(WriteOptions(operation: ids[3])) {
                    _ = try $0.insert(Ticket(number: 3))
                }
            }
            try contract.expectEqual(
                try await second.read { try $0.count(Ticket.all) }, 1, "rows of the store that took over")
        },
    ]
}
