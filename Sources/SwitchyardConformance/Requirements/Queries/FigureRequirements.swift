internal import Foundation
internal import Switchyard

/// Requirement Q7 for sums that exceed their type along the way.
enum FigureRequirements {
    static let all: [Requirement] = [
        Requirement("Q7+between", "a sum that leaves its type between two rows only is exact") { contract in
            try await sums(contract)
        }
    ]

    private static func sums(_ contract: Contract) async throws {
        let most = Decimal(string: "99999999999999999999999999999999999999") ?? 0
        // In any order of the rows, some partial sum exceeds 64 bits, 38 digits or the largest double.
        let rows: [(Int, Double, Decimal)] = [
            (.max, 1.7e308, most), (.max, 1.7e308, most), (.min, -1.7e308, -most), (.min, -1.7e308, -most),
            (5, 0.25, 7),
        ]
        for order in [[0, 1, 2, 3, 4], [2, 3, 4, 0, 1], [0, 2, 1, 3, 4], [4, 3, 2, 1, 0]] {
            let store = try await contract.makeStore()
            try await store.write { tx in
                _ = try tx.insert(
                    contentsOf: order.enumerated().map { place, index in
                        Specimen(
                            id: Specimen.ID(BatchSpecimen.id(place)), whole: rows[index].0,
                            real: rows[index].1,
                            amount: rows[index].2, otherWhole: rows[index].0)
                    })
            }
            let (whole, real, amount) = try await store.read { tx in
                try tx.aggregate(Specimen.all, .sum(\.whole), .sum(\.real), .sum(\.amount))
            }
            // Twice the largest and twice the smallest integer make −2, and 5 more is 3.
            try contract.expectEqual(whole, 3, "a sum of integers that overflows on the way")
            // Requested alone, sums are computed by the backend.
            let alone = try await store.read { try $0.aggregate(Specimen.all, .sum(\.whole)) }
            try contract.expectEqual(alone, 3, "a sum of integers alone that overflows on the way")
            let grouped = try await store.read {
                try $0.aggregate(Specimen.all, by: .attribute(\.flag), figures: .sum(\.otherWhole))
            }
            try contract.expectEqual(
                grouped.map(\.figures), [3], "the sum of a group alone that overflows on the way")
            try contract.expectEqual(real, 0.25, "a sum of doubles that overflows on the way")
            try contract.expectEqual(amount, 7, "a sum of decimals that overflows on the way")
            let groups = try await store.read { tx in
                try tx.aggregate(
                    Specimen.all, by: .attribute(\.flag), figures: .sum(\.otherWhole), .average(\.whole))
            }
            try contract.expectEqual(
                groups.map(\.figures.0), [3], "the sum of a group that overflows on the way")
            try contract.expectEqual(groups.map(\.figures.1), [0.6], "the average of a group")
        }
        let store = try await contract.makeStore()
        let (count, none) = try await store.read { try $0.aggregate(Specimen.all, .count, .sum(\.whole)) }
        try contract.expectEqual(
            [count, none], [0, 0], "the number of no rows and their sum, asked together")
        try await store.write { tx in
            _ = try tx.insert(contentsOf: [
                Specimen(whole: .max, amount: most), Specimen(whole: 0, amount: 1), Specimen(whole: 0),
            ])
        }
        let whole = try await store.read { try $0.aggregate(Specimen.all, .sum(\.whole)) }
        try contract.expectEqual(whole, .max, "a sum that is the largest integer")
        try await contract.expectError(.arithmetic, "a sum of 39 digits") {
            try await store.read { try $0.aggregate(Specimen.all, .sum(\.amount)) }
        }
        try await store.write { _ = try $0.insert(Specimen(whole: 1)) }
        try await contract.expectError(.arithmetic, "a sum one beyond the largest integer") {
            try await store.read { try $0.aggregate(Specimen.all, .sum(\.whole)) }
        }
    }
}
