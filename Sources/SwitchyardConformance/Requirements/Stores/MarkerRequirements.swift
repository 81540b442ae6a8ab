internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Requirement S1 for the marker that a store is opened by.
enum MarkerRequirements {
    static let all: [Requirement] = [
        Requirement(
            "S1+marker", "a marker that no store can have is refused as damaged, and left as it was",
            needs: .durability
        ) { contract in
            let store = try await contract.makeStore()
            let marker = try await store.marker()
            try await store.close()
            for (what, impossible) in try impossible(marker) {
                guard try await contract.replaceMarker(by: impossible, in: store) else { return }
                for access in [OpenOptions.Access.readWrite, .readOnly] {
                    try await contract.expectError(.corrupted, "opening a store with \(what)") {
                        try await contract.reopen(store, nil, OpenOptions(access: access))
                    }
                }
            }
            guard try await contract.replaceMarker(by: try json(marker), in: store) else { return }
            let again = try await contract.reopen(store)
            try contract.expectEqual(
                try await again.marker(), marker, "the marker once it is put right")
            try await again.close()
        }
    ]

    private static func impossible(_ marker: StoreMarker) throws -> [(String, String)] {
        var negative = marker
        negative.generation = -1
        return [
            ("a negative generation", try json(negative)),
            ("half a marker", String(try json(marker).dropLast(20))),
        ]
    }

    private static func json(_ marker: StoreMarker) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(marker), as: UTF8.self)
    }
}
