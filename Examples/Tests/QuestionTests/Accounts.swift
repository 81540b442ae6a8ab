import Foundation
import Switchyard

/// An app for accounts: entries with categories below categories, groups of categories, and tags.
enum Accounts: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [
        Account.self, Group.self, Category.self, Entry.self, Tag.self, EntryTag.self,
    ]

    @Model
    struct Account {
        let id: ID
        var name: String
        var opening: Decimal
        @Relationship(deleteRule: .deny, inverse: \Entry.account)
        var entries: ToMany<Entry>
    }

    @Model
    struct Group {
        let id: ID
        var name: String
    }

    @Model
    struct Category {
        let id: ID
        var name: String
        var group: Group.ID
        var parent: Category.ID?
        var limit: Decimal
        @Relationship(deleteRule: .nullify, inverse: \Entry.category)
        var entries: ToMany<Entry>
    }

    @Model
    struct Entry {
        let id: ID
        var account: Account.ID
        var category: Category.ID?
        var date: Date
        @Attribute(.searchable) var payee: String
        var amount: Decimal
        var isCleared: Bool
    }

    @Model
    struct Tag {
        let id: ID
        var name: String
    }

    @Model
    struct EntryTag {
        let id: ID
        var entry: Entry.ID
        var tag: Tag.ID
    }
}

extension Accounts {
    /// Inserts the sample: 3 accounts, 5 categories and 7 entries.
    static func fill(_ tx: WriteTransaction) throws {
        let accounts = [("Bank", 100), ("Card", 0), ("Cash", 10)].map {
            Account(name: $0.0, opening: Decimal($0.1))
        }
        try tx.insert(contentsOf: accounts)
        let living = try tx.insert(Group(name: "Living"))
        let leisure = try tx.insert(Group(name: "Leisure"))
        let food = try tx.insert(Category(name: "Food", group: living.id, limit: 200))
        let groceries = try tx.insert(
            Category(name: "Groceries", group: living.id, parent: food.id, limit: 150))
        let restaurants = try tx.insert(
            Category(name: "Restaurants", group: leisure.id, parent: food.id, limit: 250))
        let rent = try tx.insert(Category(name: "Rent", group: living.id, limit: 900))
        let tapas = try tx.insert(
            Category(name: "Tapas", group: leisure.id, parent: restaurants.id, limit: 50))
        let sums: [(Int, Category?, String, String, Int, Bool)] = [
            (0, nil, "2026-01-31T23:30:00Z", "Employer", 100_000, true),
            (0, rent, "2026-02-01T08:00:00Z", "Landlord", -60_000, true),
            (2, groceries, "2026-02-03T10:00:00Z", "market", -1_230, true),
            (1, restaurants, "2026-02-14T19:00:00Z", "Bistro", -4_025, false),
            (0, nil, "2026-02-28T12:00:00Z", "Employer", 100_000, true),
            (1, groceries, "2026-03-02T10:00:00Z", "Market", -2_005, false),
            (0, tapas, "2026-03-06T20:00:00Z", "Bistro", -1_540, false),
        ]
        let entries = try sums.map { account, category, date, payee, cents, isCleared in
            Entry(
                account: accounts[account].id, category: category?.id,
                date: try Date(date, strategy: .iso8601), payee: payee, amount: Decimal(cents) / 100,
                isCleared: isCleared)
        }
        try tx.insert(contentsOf: entries)
        let tags = ["holiday", "work"].map { Tag(name: $0) }
        try tx.insert(contentsOf: tags)
        try tx.insert(
            contentsOf: [(3, 0), (6, 0), (3, 1), (2, 1)].map {
                EntryTag(entry: entries[$0.0].id, tag: tags[$0.1].id)
            })
    }
}
