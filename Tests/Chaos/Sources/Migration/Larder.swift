import Foundation
import Switchyard
import SwitchyardCore

/// A store of the first version, and what must be in it whichever version it has.
struct Larder: Sendable {
    let url: String
    /// How many jars there are in all.
    let rows: Int
    /// The scopes among which the jars are divided.
    ///
    /// A store that has some keeps a history of the last jars, too.
    var scopes: [StoreScope] = []

    /// The scopes of every larder that has any, because processes that open it must know one.
    static let scopes = [7, 8].map {
        StoreScope(UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, $0)))
    }

    /// How many jars of each scope come last, and with a history.
    static let recorded = 100

    /// The arguments of a process that migrates the store.
    var migrating: [String] { ["migrate", "--store", url] + (scopes.isEmpty ? [] : ["--is-scoped"]) }

    /// Lends a copy, while nobody has the store open.
    func withCopy(on backend: CopiedBackend, _ body: (Larder) async throws -> Void) async throws {
        try await backend.withCopy(of: url) {
            try await body(Larder(url: $0, rows: rows, scopes: scopes))
        }
    }

    /// Each scope, nil for a store without any, and the numbers of its jars.
    var parts: [(scope: StoreScope?, jars: Range<Int>)] {
        guard !scopes.isEmpty else { return [(nil, 0..<rows)] }
        let size = rows / scopes.count
        return scopes.enumerated().map { ($1, $0 * size..<($0 + 1) * size) }
    }

    /// The number of labels in each scope; ten shelves have each of them.
    var labels: Int { max(2, rows / 100) }

    /// Makes the store.
    func fill() async throws {
        let labels = labels
        let store = try await Backends.open(url, Larder1.self, scope: scopes.first)
        for (scope, jars) in parts {
            try await store.write(WriteOptions(scope: scope)) { tx in
                let shelves = (0..<10 * labels).map { place in
                    Larder1.Shelf(label: "Shelf \(place % labels)", place: place)
                }
                try tx.insert(contentsOf: shelves)
                try Self.insert(jars.dropLast(Self.recorded), on: shelves, tx)
            }
        }
        if !scopes.isEmpty { try await store.keepHistory() }
        for (scope, jars) in parts {
            try await store.write(WriteOptions(scope: scope)) { tx in
                let shelves = try tx.fetch(Larder1.Shelf.all.sorted(by: \.place))
                try Self.insert(jars.suffix(Self.recorded), on: shelves, tx)
            }
        }
        try await store.close()
    }

    private static func insert(
        _ numbers: Range<Int>, on shelves: [Larder1.Shelf], _ tx: WriteTransaction
    ) throws {
        try tx.insert(
            contentsOf: numbers.map { number in
                Larder1.Jar(
                    name: "Jar \(number)", grams: number, size: number.isMultiple(of: 2) ? number : nil,
                    shelf: shelves[number % shelves.count].id)
            })
    }
}
