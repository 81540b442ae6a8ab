import Foundation
import Switchyard
import SwitchyardCSV
import SwitchyardCore

extension Case {
    static let devices = [
        Case("A first exchange: the new phone has all rows at once, while another one goes on writing.") {
            home in
            try await home.begin { tx in
                for number in 0..<6_000 { try tx.insert(Guest(name: "guest \(number)")) }
            }
            let (ben, zoe) = (home.ben, try home.phone("zoe"))
            try await ben.write("adds the recipe Soup") { try $0.insert(Recipe(name: "Soup")) }
            async let first: Void = zoe.exchange()
            async let other: Void = ben.exchange()
            _ = try await (first, other)
            try await home.settle(zoe, home.anna)
            try await home.expect("6000 guests, 1 recipe", on: [home.anna, home.ben, zoe]) { tx in
                "\(try tx.count(Guest.all)) guests, \(try tx.count(Recipe.all)) recipe"
            }
        },
        Case("A phone joins with rows of its own: both sets of rows are there.") { home in
            try await home.anna.write("has the recipe Soup") { try $0.insert(Recipe(name: "Soup")) }
            try await home.ben.write("has the recipe Stew") { try $0.insert(Recipe(name: "Stew")) }
            try await home.settle()
            try await home.expect("Soup, Stew") { try $0.names() }
            try await home.expectLog()
        },
        Case(
            "Months away: the server has pruned what the phone lacks. It begins again, and keeps what it had not sent."
        ) {
            home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.forgetChanges()
            try await home.ben.edit(soup, "rates Soup with 5 stars") { $0.stars = 5 }
            try await home.settle()
            try await home.expect("Broth, Goulash, Soup, Stew; 5 stars") { tx in
                "\(try tx.names()); \(try tx.find(soup.id)?.stars ?? 0) stars"
            }
        },
        Case(
            "A write that is older than all that the server remembers is uncertain: its phone keeps it, to be made again."
        ) {
            home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.ben.edit(soup, "rates Soup with 5 stars, and stays offline") { $0.stars = 5 }
            try await home.forgetChanges()
            try await home.settle()
            try await home.expectRejected("update Recipe, by uncertain", of: home.ben)
            try await home.ben.retryRejected()
            try await home.settle()
            try await home.expect("Broth, Goulash, Soup, Stew; 5 stars") { tx in
                "\(try tx.names()); \(try tx.find(soup.id)?.stars ?? 0) stars"
            }
        },
        Case("The server is restored from a backup: the phones offer what it has lost.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try home.backUpServer()
            try await home.anna.edit(soup, "names the recipe Broth") { $0.name = "Broth" }
            try await home.anna.write("adds the recipe Stew") { try $0.insert(Recipe(name: "Stew")) }
            try await home.settle()
            try home.restoreServer()
            say("server", "is put back to the time before that")
            try await home.settle()
            try await home.expect("Broth, Stew") { try $0.names() }
        },
        Case("An offer of what was lost never replaces anything newer.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try home.backUpServer()
            try await home.anna.edit(soup, "names the recipe Broth") { $0.name = "Broth" }
            try await home.anna.exchange()
            try home.restoreServer()
            say("server", "is put back to the time before that")
            try await home.ben.edit(soup, "names it Stew, and exchanges first") { $0.name = "Stew" }
            try await home.ben.exchange()
            try await home.settle()
            try await home.expect("Stew") { try $0.names() }
        },
        Case("A phone is cloned: both go on, and nothing is done twice.") { home in
            let soup = Recipe(name: "Soup", cooked: 1)
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "cooks it, and is cloned before that is sent") { $0.cooked += 1 }
            try home.anna.file.copy(to: "clone")
            let clone = try home.phone("clone")
            try await home.settle(home.anna, clone)
            try await home.anna.edit(soup, "cooks it again") { $0.cooked += 1 }
            try await clone.edit(soup, "cooks it as well") { $0.cooked += 1 }
            try await home.settle(home.anna, clone, home.ben)
            try await home.expect("cooked 4 times", on: [home.anna, clone, home.ben]) { tx in
                try tx.recipe { "cooked \($0.cooked) times" }
            }
        },
        Case("10,000 rows imported offline: they are one write, which is undone as one.") { home in
            try await home.settle()
            let before = try await home.server { try await $0.read { try $0.history().count } }
            try await home.anna.write("imports 10,000 recipes") { tx in
                for number in 0..<10_000 { try tx.insert(Recipe(name: "recipe \(number)")) }
            }
            try await home.settle()
            try await home.expect("10000 recipes") { "\(try $0.count(Recipe.all)) recipes" }
            let after = try await home.server { try await $0.read { try $0.history().count } }
            home.expect(after - before, is: 1, "the server's history has one change for them")
            home.expect(try await home.anna.undo(), is: true, "anna undoes it")
            try await home.settle()
            try await home.expect("0 recipes") { "\(try $0.count(Recipe.all)) recipes" }
        },
        Case("The same CSV file imported on both phones: nothing is there twice.") { home in
            try await home.settle()
            let lines = (0..<500).map { "recipe \($0),\($0 % 5 + 1)" }
            let file = CSVInput.bytes(Array((["name,stars"] + lines).joined(separator: "\n").utf8))
            for phone in [home.anna, home.ben] {
                try await phone.write("imports 500 recipes") { try $0.importRecipes(file) }
            }
            try await home.settle()
            try await home.expect("500 recipes") { "\(try $0.count(Recipe.all)) recipes" }
            try await home.expectLog()
        },
        Case("The household is missing on the server: nothing is deleted, and the phone says so.") { home in
            try await home.begin { try $0.insert(Recipe(name: "Soup")) }
            try home.anna.server.remove()
            say("server", "is not there, as if its address were misspelt")
            do {
                try await home.ben.exchange()
                home.expect("exchanged", is: "refused", "ben's exchange is refused")
            } catch let error as StoreError {
                home.expect(error.code, is: .notFound, "ben is told that there is no store, and makes none")
            }
            let names = try await home.ben.file.withOpenStore { try await $0.read { try $0.names() } }
            home.expect(names, is: "Soup", "ben still has Soup")
        },
        Case("A server that has lost all rows: it gets them back, and takes none from the phones.") { home in
            try await home.settle()
            try home.backUpServer()
            try await home.anna.write("adds the recipe Soup") { try $0.insert(Recipe(name: "Soup")) }
            try await home.ben.write("adds the recipe Stew") { try $0.insert(Recipe(name: "Stew")) }
            try await home.settle()
            try home.restoreServer()
            say("server", "is put back to the time before the first row")
            try await home.settle()
            try await home.expect("Soup, Stew") { try $0.names() }
        },
    ]
}

extension Household {
    /// Lets anna add three recipes, and the server forget all changes but the last.
    fileprivate func forgetChanges() async throws {
        for name in ["Stew", "Goulash", "Broth"] {
            try await anna.write("adds the recipe \(name)") { try $0.insert(Recipe(name: name)) }
        }
        try await anna.exchange()
        let pruned = try await server { try await $0.pruneHistory(keepingLast: 1) }
        expect(pruned > 0, is: true, "the server keeps only its last change")
    }
}

extension ReadTransaction {
    fileprivate func names() throws -> String {
        try fetch(Recipe.sorted(by: \.name), \.name).joined(separator: ", ")
    }
}

extension WriteTransaction {
    /// Imports recipes, whose ids follow from their names.
    fileprivate func importRecipes(_ file: CSVInput) throws {
        var reader = CSVReader(try file.open())
        _ = try reader.nextWithText()
        let ids = DerivedID(namespace: Case.namespace)
        while let row = try reader.nextWithText() {
            let name = row.string(at: 0)
            try insert(Recipe(id: Recipe.ID(ids.uuid([name])), name: name, stars: Int(row.string(at: 1))))
        }
    }
}
