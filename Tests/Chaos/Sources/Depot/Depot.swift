import Foundation

/// The rows that a depot must have, as values that no store has touched.
struct Depot: Sendable {
    struct Pallet: Sendable {
        let id: UUID
        let label: String
    }

    struct Crate: Sendable {
        let id: UUID
        let name: String
        let grams: Int
        let note: String?
        /// The place of its pallet.
        let pallet: Int?
    }

    /// How many rows there are if nothing else is said.
    static let usualRows = 2_000

    let pallets: [Pallet]
    let crates: [Crate]

    /// Draws the rows.
    init(rows: Int, using generator: inout some RandomNumberGenerator) {
        let pallets = (0...rows / 50).map { Pallet(id: .drawn(using: &generator), label: "Pallet \($0)") }
        self.pallets = pallets
        crates = (0..<rows).map { number in
            let pallet = Int.random(in: 0...pallets.count, using: &generator)
            return Crate(
                id: .drawn(using: &generator), name: "Crate \(number)",
                grams: Int.random(in: 0...1_000_000, using: &generator),
                note: Bool.random(using: &generator) ? "on the left of \(number)" : nil,
                pallet: pallet < pallets.count ? pallet : nil)
        }
    }
}

extension Depot {
    /// The rows of `Pallet` in the first version, in the order and form of `DepotTable.rows`.
    var pallet1: [[String?]] { sorted(pallets.map { [$0.id.hex, $0.label] }) }

    /// The rows of `Pallet` in the second version.
    var pallet2: [[String?]] { pallet1.map { $0 + ["15"] } }

    /// The rows of `Crate`.
    var crate: [[String?]] {
        sorted(crates.map { [$0.id.hex, $0.name, "\($0.grams)", $0.note, pallet(of: $0)?.id.hex] })
    }

    /// The rows of `Box` where a migration has made this many boxes, and they have been given titles of their own since.
    func box(renaming count: Int, of all: Int) -> [[String?]] {
        sorted(
            crates.prefix(all).enumerated().map { place, crate in
                [
                    crate.id.hex, place < count ? "Box \(place)" : crate.name, "\(crate.grams)",
                    crate.note ?? "none", pallet(of: crate)?.id.hex,
                ]
            })
    }

    /// Each crate with the label of its pallet, whatever their ids.
    var labelled: Set<[String?]> {
        Set(crates.map { [$0.name, "\($0.grams)", $0.note, pallet(of: $0)?.label] })
    }

    private func pallet(of crate: Crate) -> Pallet? { crate.pallet.map { pallets[$0] } }

    private func sorted(_ rows: [[String?]]) -> [[String?]] { rows.sorted { ($0[0] ?? "") < ($1[0] ?? "") } }
}

extension UUID {
    fileprivate static func drawn(using generator: inout some RandomNumberGenerator) -> UUID {
        withUnsafeBytes(of: (generator.next(), generator.next())) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    /// The bytes as 32 digits.
    var hex: String { uuidString.lowercased().replacing("-", with: "") }
}
