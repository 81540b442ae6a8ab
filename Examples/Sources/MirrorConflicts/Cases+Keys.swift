import Foundation
import Switchyard
import SwitchyardCore

extension Case {
    static let keys = [
        Case("The same id inserted twice: the rows are merged attribute by attribute.") { home in
            try await home.settle()
            // An id that follows from what the row stands for.
            let id = Recipe.ID(DerivedID(namespace: namespace).uuid(["grandmother's soup"]))
            try await home.anna.write("adds grandmother's soup, with 4 stars") {
                try $0.insert(Recipe(id: id, name: "Soup", stars: 4))
            }
            try await home.ben.write("adds it as well, as Broth, with 5 stars, later") {
                try $0.insert(Recipe(id: id, name: "Broth", stars: 5))
            }
            try await home.settle()
            try await home.expect("Broth, 5 stars") { tx in
                try tx.recipe { "\($0.name), \($0.stars ?? 0) stars" }
            }
            try await home.expectLog("edited Recipe: name lost Soup, kept Broth")
        },
        Case(
            "A unique key that is taken, .reject: the second write is rejected, and made again under another name."
        ) {
            home in
            try await home.settle()
            try await home.anna.write("adds the shop Corner") { try $0.insert(Shop(name: "Corner")) }
            try await home.ben.write("adds another shop Corner") { try $0.insert(Shop(name: "Corner")) }
            try await home.settle()
            try await home.expect("1 shop") { "\(try $0.count(Shop.all)) shop" }
            try await home.expectRejected("insert Shop, by unique", of: home.ben)
            try await home.ben.write("names the first shop Corner Market") { tx in
                try tx.update(Shop.all, set: [.set(\.name, to: "Corner Market")])
            }
            try await home.ben.retryRejected()
            try await home.settle()
            try await home.expect("Corner, Corner Market") { tx in
                try tx.fetch(Shop.sorted(by: \.name), \.name).joined(separator: ", ")
            }
        },
        Case(".mergeInto: the rows become one, and the log has the one that is gone.") { home in
            try await home.settle()
            try await home.anna.write("adds the tag vegan") { try $0.insert(Tag(name: "vegan")) }
            try await home.ben.write("adds the tag vegan, in green") {
                try $0.insert(Tag(name: "vegan", color: "green"))
            }
            try await home.settle()
            try await home.expect("vegan, green") { tx in
                try tx.fetch(Tag.all).map { "\($0.name), \($0.color ?? "no color")" }.joined(separator: "; ")
            }
            try await home.expectLog("unique Tag: name lost vegan, kept vegan; color lost green, kept green")
        },
        Case(".rename: the second row gets a suffix of its id.") { home in
            try await home.settle()
            let id = Shelf.ID(DerivedID(namespace: namespace).uuid(["ben's shelf"]))
            try await home.anna.write("adds the shelf Top") { try $0.insert(Shelf(label: "Top")) }
            try await home.ben.write("adds a shelf Top") { try $0.insert(Shelf(id: id, label: "Top")) }
            try await home.settle()
            let name = "Top (\(id.uuid.uuidString.lowercased().suffix(4)))"
            try await home.expect("Top, \(name)") { tx in
                try tx.fetch(Shelf.sorted(by: \.label), \.label).joined(separator: ", ")
            }
            try await home.expectLog("unique Shelf: label lost Top, kept \(name)")
        },
        Case(
            "A value that the server does not allow: the write is rejected, and the next one is not held up."
        ) { home in
            try await home.settle()
            // A rule of the server's owner, which the app does not know.
            try home.serverSQL("CREATE TABLE seats (count INTEGER CHECK (count > 0))")
            try home.serverSQL(
                """
                CREATE TRIGGER no_seats AFTER INSERT ON Guest WHEN NEW.diet = 'everything'
                BEGIN INSERT INTO seats VALUES (0); END
                """)
            try await home.ben.write("adds a guest who eats everything") {
                try $0.insert(Guest(name: "Leo", diet: "everything"))
            }
            try await home.ben.write("adds another one") { try $0.insert(Guest(name: "Mia")) }
            try await home.settle()
            try await home.expect("Mia") { try $0.fetch(Guest.all, \.name).joined(separator: ", ") }
            try await home.expectRejected("insert Guest, by value", of: home.ben)
        },
    ]

    /// Of the ids that follow from a name.
    static let namespace = UUID(
        uuid: (0x6B, 0x69, 0x74, 0x63, 0x68, 0x65, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
}
