import Switchyard

/// What a household keeps: an attribute for each merge policy, and entities for each delete rule and unique key.
enum Kitchen: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [
        Recipe.self, Step.self, Photo.self, Meal.self, Guest.self, Shop.self, Tag.self, Shelf.self,
    ]

    @Model
    struct Recipe {
        let id: ID
        var name: String = ""
        @Attribute(.merge(.serverOrder)) var oven: Int = 180
        @Attribute(.merge(.maximum)) var stars: Int?
        @Attribute(.merge(.minimum)) var minutes: Int?
        @Attribute(.merge(.counter)) var cooked: Int = 0
        @Attribute(.merge(.union)) var tags: [String] = []
        @Attribute(.merge(.custom("longer"))) var note: String = ""
        @Relationship(deleteRule: .cascade, inverse: \Step.recipe) var steps: ToMany<Step>
        @Relationship(deleteRule: .nullify, inverse: \Photo.recipe) var photos: ToMany<Photo>
        @Relationship(deleteRule: .deny, inverse: \Meal.recipe) var meals: ToMany<Meal>
    }

    @Model
    struct Step {
        let id: ID
        var text: String
        var recipe: Recipe.ID
    }

    @Model
    struct Photo {
        let id: ID
        var title: String
        var recipe: Recipe.ID?
    }

    @Model
    struct Meal {
        let id: ID
        var day: String
        var recipe: Recipe.ID
    }

    @Model(.merge(.resurrect))
    struct Guest {
        let id: ID
        var name: String
        var diet: String = "none"
    }

    @Model
    struct Shop {
        #Unique<Shop>([\.name])
        let id: ID
        var name: String
    }

    @Model
    struct Tag {
        #Unique<Tag>([\.name], merge: .mergeInto)
        let id: ID
        var name: String
        var color: String?
    }

    @Model
    struct Shelf {
        #Unique<Shelf>([\.label], merge: .rename)
        let id: ID
        var label: String
    }
}

typealias Recipe = Kitchen.Recipe
typealias Step = Kitchen.Step
typealias Photo = Kitchen.Photo
typealias Meal = Kitchen.Meal
typealias Guest = Kitchen.Guest
typealias Shop = Kitchen.Shop
typealias Tag = Kitchen.Tag
typealias Shelf = Kitchen.Shelf
