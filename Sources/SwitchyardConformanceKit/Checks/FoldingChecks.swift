internal import Foundation
package import Switchyard
internal import SwitchyardCore

/// Requirement Q4 for text without case and diacritics: a search reflects every kind of write.
package enum FoldingChecks {
    // The store holds specimens whose memo is their text, `Éclair` and `éclair` among them.
    package static func verify(_ contract: Contract, _ store: any Store) async throws {
        func found(_ text: String) async throws -> [String] {
            try await store.read { tx in
                try tx.fetch(
                    Specimen.matching(
                        .search(attribute: "memo", .contains, text: SearchFolding.fold(text))
                    ).sorted(by: \.text)
                ).map(\.text)
            }
        }
        try contract.expectEqual(
            try await found("ECLAIR"), ["Éclair", "éclair"], "contains without case and diacritics")

        try await store.write { tx in
            var specimen = try contract.require(
                try tx.first(Specimen.where(#Predicate { $0.text == "Éclair" })), "the row to update")
            specimen.memo = "Crème"
            try tx.update(specimen)
        }
        try contract.expectEqual(try await found("ECLAIR"), ["éclair"], "a search for what was updated")
        try contract.expectEqual(try await found("creme"), ["Éclair"], "a search for the updated text")

        try await store.write { tx in
            try tx.update(
                Specimen.where(#Predicate { $0.text == "éclair" }), set: [.set(\.memo, to: "Gâteau")])
        }
        try contract.expectEqual(try await found("ECLAIR"), [], "a search after an update by predicate")
        try contract.expectEqual(
            try await found("GATEAU"), ["éclair"], "a search for the text of an update by predicate")

        try await store.write { tx in
            var specimens = try tx.fetch(Specimen.where(#Predicate { $0.memo == "Gâteau" }))
            for index in specimens.indices { specimens[index].memo = "Soufflé" }
            try tx.upsert(specimens + [Specimen(text: "new", memo: "SOUFFLÉ")], on: \.id)
        }
        try contract.expectEqual(try await found("gateau"), [], "a search for what was replaced by an upsert")
        try contract.expectEqual(
            try await found("souffle"), ["new", "éclair"], "a search for the text of an upsert")

        try await store.write {
            try $0.update(Specimen.where(#Predicate { $0.text == "new" }), set: [.set(\.memo, to: nil)])
        }
        try contract.expectEqual(try await found("souffle"), ["éclair"], "a search after an update to nil")

        try await store.write { tx in
            let unit: String? = "Ünit"
            try tx.update(
                Specimen.all, set: [.set(\.memo, to: #Expression { $0.text == "a_b" ? unit : $0.memo })])
        }
        try contract.expectEqual(try await found("UNIT"), ["a_b"], "a search after a calculated update")
        try contract.expectEqual(
            try await found("souffle"), ["éclair"], "a search where a calculated update kept the text")
        try await store.write { tx in
            try tx.update(Specimen.all, set: [.set(\.memo, to: #Expression { $0.text })])
        }
        try contract.expectEqual(
            try await found("ECLAIR"), ["Éclair", "éclair"],
            "a search for text of an attribute that is not searchable")
    }
}
