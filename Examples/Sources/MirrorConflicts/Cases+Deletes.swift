import Switchyard
import SwitchyardCore

extension Case {
    static let deletes = [
        Case("An edit of a row that was deleted: the row stays deleted, and the log has the edit.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.write("deletes the recipe") { try $0.delete(soup.id) }
            try await home.ben.edit(soup, "names it Stew") { $0.name = "Stew" }
            try await home.settle()
            try await home.expect("0 recipes") { "\(try $0.count(Recipe.all)) recipes" }
            try await home.expectLog("deleted Recipe: name lost Stew", of: home.ben)
        },
        Case(".resurrect: the edit brings the row back.") { home in
            let mia = Guest(name: "Mia")
            try await home.begin { try $0.insert(mia) }
            try await home.anna.write("deletes the guest") { try $0.delete(mia.id) }
            try await home.ben.write("notes that she is vegan") { tx in
                var edited = mia
                edited.diet = "vegan"
                try tx.update(edited)
            }
            try await home.settle()
            try await home.expect("Mia, vegan") { tx in
                try tx.fetch(Guest.all).map { "\($0.name), \($0.diet)" }.joined()
            }
            try await home.expectLog()
        },
        Case("A delete of a row that was edited: the row goes, and the log has what its device did not know.")
        { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.edit(soup, "names the recipe Stew") { $0.name = "Stew" }
            try await home.ben.write("deletes it") { try $0.delete(soup.id) }
            try await home.settle()
            try await home.expect("0 recipes") { "\(try $0.count(Recipe.all)) recipes" }
            try await home.expectLog("deleted Recipe: name lost Stew")
        },
        Case("cascade reaches rows that the deleting device did not know.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.write("adds a step to the recipe") {
                try $0.insert(Step(text: "stir", recipe: soup.id))
            }
            try await home.ben.write("deletes the recipe") { try $0.delete(soup.id) }
            try await home.settle()
            try await home.expect("0 steps") { "\(try $0.count(Step.all)) steps" }
            try await home.expectLog("parentDeleted Step: text lost stir; recipe lost an id")
        },
        Case("nullify reaches such rows as well.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.write("adds a photo of it") {
                try $0.insert(Photo(title: "bowl", recipe: soup.id))
            }
            try await home.ben.write("deletes the recipe") { try $0.delete(soup.id) }
            try await home.settle()
            try await home.expect("bowl, without a recipe") { try $0.photos() }
            try await home.expectLog("parentDeleted Photo: recipe lost an id, kept nil")
        },
        Case("deny: the delete is rejected, and the row comes back.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.write("plans it for Sunday") {
                try $0.insert(Meal(day: "Sunday", recipe: soup.id))
            }
            try await home.ben.write("deletes the recipe") { try $0.delete(soup.id) }
            try await home.settle()
            try await home.expect("Soup, on Sunday") { try $0.meals() }
            try await home.expectRejected("delete Recipe, by reference", of: home.ben)
        },
        Case("cascade: a new row whose parent is gone goes, too, and is in the log.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.write("deletes the recipe") { try $0.delete(soup.id) }
            try await home.ben.write("adds a step to it") {
                try $0.insert(Step(text: "stir", recipe: soup.id))
            }
            try await home.settle()
            try await home.expect("0 steps") { "\(try $0.count(Step.all)) steps" }
            try await home.expectLog("parentDeleted Step: text lost stir; recipe lost an id", of: home.ben)
        },
        Case("nullify: a new row whose parent is gone refers to nothing.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.write("deletes the recipe") { try $0.delete(soup.id) }
            try await home.ben.write("adds a photo of it") {
                try $0.insert(Photo(title: "bowl", recipe: soup.id))
            }
            try await home.settle()
            try await home.expect("bowl, without a recipe") { try $0.photos() }
            try await home.expectLog("parentDeleted Photo: recipe lost an id, kept nil")
        },
        Case("deny: a new row whose parent is gone is rejected.") { home in
            let soup = Recipe(name: "Soup")
            try await home.begin { try $0.insert(soup) }
            try await home.anna.write("deletes the recipe") { try $0.delete(soup.id) }
            try await home.ben.write("plans it for Sunday") {
                try $0.insert(Meal(day: "Sunday", recipe: soup.id))
            }
            try await home.settle()
            try await home.expect("no meal") { try $0.count(Meal.all) == 0 ? "no meal" : try $0.meals() }
            try await home.expectRejected("insert Meal, by reference", of: home.ben)
        },
    ]
}

extension ReadTransaction {
    fileprivate func photos() throws -> String {
        try fetch(Photo.all).map { $0.title + ($0.recipe == nil ? ", without a recipe" : "") }.joined(
            separator: "; ")
    }

    fileprivate func meals() throws -> String {
        try fetch(Meal.all).map { "\(try find($0.recipe)?.name ?? "nothing"), on \($0.day)" }.joined(
            separator: "; ")
    }
}
