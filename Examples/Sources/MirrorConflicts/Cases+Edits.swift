import Switchyard
import SwitchyardCore

extension Case {
    static let edits = [
        Case("Two attributes of a row: both edits are kept.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "names the recipe Broth") { $0.name = "Broth" }
            try await home.ben.edit(soup, "rates it with 5 stars") { $0.stars = 5 }
            try await home.settle()
            try await home.expect("Broth, 5 stars") { tx in
                try tx.recipe { "\($0.name), \($0.stars ?? 0) stars" }
            }
            try await home.expectLog()
        },
        Case("One attribute: the later edit wins, also if it reaches the server first.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "names the recipe Broth") { $0.name = "Broth" }
            try await home.ben.edit(soup, "names it Stew, later") { $0.name = "Stew" }
            try await home.settle(home.ben, home.anna)
            try await home.expect("Stew") { try $0.recipe(\.name) }
            try await home.expectLog("edited Recipe: name lost Broth, kept Stew", of: home.anna)
        },
        Case("One attribute, the same value: there is no conflict.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "names the recipe Broth") { $0.name = "Broth" }
            try await home.ben.edit(soup, "names it Broth, too") { $0.name = "Broth" }
            try await home.settle()
            try await home.expect("Broth") { try $0.recipe(\.name) }
            try await home.expectLog()
        },
        Case(".serverOrder: the edit that arrives last wins.") { home in
            let soup = Recipe()
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "sets the oven to 200, and arrives last") { $0.oven = 200 }
            try await home.ben.edit(soup, "sets the oven to 220, later") { $0.oven = 220 }
            try await home.settle(home.ben, home.anna)
            try await home.expect("200") { try $0.recipe { "\($0.oven)" } }
            try await home.expectLog("edited Recipe: oven lost 220, kept 200")
        },
        Case(".maximum and .minimum: the values decide, not the time.") { home in
            let soup = Recipe(stars: 2, minutes: 60)
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "rates it with 5 stars, and cooks it in 40 minutes") {
                ($0.stars, $0.minutes) = (5, 40)
            }
            try await home.ben.edit(soup, "rates it with 3 stars, and cooks it in 50 minutes") {
                ($0.stars, $0.minutes) = (3, 50)
            }
            try await home.settle()
            try await home.expect("5 stars, 40 minutes") { tx in
                try tx.recipe { "\($0.stars ?? 0) stars, \($0.minutes ?? 0) minutes" }
            }
            try await home.expectLog()
        },
        Case(".counter: both steps count.") { home in
            let soup = Recipe(cooked: 5)
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "cooks it once") { $0.cooked += 1 }
            try await home.ben.edit(soup, "cooks it once, too") { $0.cooked += 1 }
            try await home.settle()
            try await home.expect("cooked 7 times") { try $0.recipe { "cooked \($0.cooked) times" } }
            try await home.expectLog()
        },
        Case(".union: what either added is there, and what either removed is not.") { home in
            let soup = Recipe(tags: ["hot", "quick"])
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "adds the tag vegan") { $0.tags.append("vegan") }
            try await home.ben.edit(soup, "removes the tag quick") { $0.tags = ["hot"] }
            try await home.settle()
            try await home.expect("hot, vegan") { try $0.recipe { $0.tags.joined(separator: ", ") } }
            try await home.expectLog()
        },
        Case(".custom: a function of the app's decides, here for the longer text.") { home in
            let soup = Recipe()
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "notes: no salt for Mia") { $0.note = "no salt for Mia" }
            try await home.ben.edit(soup, "notes: add lime, later") { $0.note = "add lime" }
            try await home.settle()
            try await home.expect("no salt for Mia") { try $0.recipe(\.note) }
            try await home.expectLog("edited Recipe: note lost add lime, kept no salt for Mia", of: home.ben)
        },
        Case("A clock that is ten years ahead: its edit counts as made when it arrives, and wins no longer.")
        { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "names the recipe Broth, by a clock ten years ahead") {
                $0.name = "Broth"
            }
            try home.anna.setClock(yearsAhead: 10)
            try await home.anna.exchange()
            try await home.ben.edit(soup, "names it Stew, later, without having seen that") {
                $0.name = "Stew"
            }
            try await home.settle()
            try await home.expect("Stew") { try $0.recipe(\.name) }
            try await home.expectLog("edited Recipe: name lost Broth, kept Stew")
        },
        Case("A clock that is ten years behind: its edit loses, and is in the log.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.ben.edit(soup, "names the recipe Stew") { $0.name = "Stew" }
            try await home.anna.edit(soup, "names it Broth, later, by a clock ten years behind") {
                $0.name = "Broth"
            }
            try home.anna.setClock(yearsAhead: -10)
            try await home.settle(home.ben, home.anna)
            try await home.expect("Stew") { try $0.recipe(\.name) }
            try await home.expectLog("edited Recipe: name lost Broth, kept Stew", of: home.anna)
        },
        Case(
            "An undo after the exchange is a write like any other, and is refused once another edit is in the way."
        ) {
            home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "names the recipe Broth") { $0.name = "Broth" }
            try await home.settle()
            home.expect(
                try await home.anna.undo(), is: true, "anna undoes that, and it is Soup again on both phones")
            try await home.settle()
            try await home.expect("Soup") { try $0.recipe(\.name) }
            try await home.anna.edit(soup, "names it Stew") { $0.name = "Stew" }
            try await home.settle()
            try await home.ben.edit(soup, "names it Goulash") { $0.name = "Goulash" }
            try await home.settle()
            home.expect(try await home.anna.undo(), is: false, "anna's undo is refused")
            try await home.expect("Goulash") { try $0.recipe(\.name) }
        },
    ]
}

extension Phone {
    /// Edits a recipe offline.
    func edit(
        _ recipe: Recipe, _ what: String, _ change: @escaping @Sendable (inout Recipe) -> Void
    ) async throws {
        try await write(what) { tx in
            guard var edited = try tx.find(recipe.id) else { return }
            change(&edited)
            try tx.update(edited)
        }
    }
}

extension ReadTransaction {
    /// A text about the only recipe.
    func recipe(_ text: (Recipe) -> String) throws -> String {
        try fetch(Recipe.all).map(text).joined(separator: "; ")
    }
}
