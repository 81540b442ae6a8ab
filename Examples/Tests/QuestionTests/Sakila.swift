import Foundation
import Switchyard

/// A shop that lends films, in the shape of the Sakila sample database, with a few rows.
enum Sakila: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [
        Country.self, City.self, Category.self, Film.self, Actor.self, Role.self, Shop.self, Copy.self,
        Customer.self, Rental.self, Payment.self,
    ]

    enum Rating: String, Codable, CaseIterable, Sendable {
        case general = "G"
        case guided = "PG"
        case restricted = "R"
    }

    @Model
    struct Country {
        let id: ID
        var name: String
    }

    @Model
    struct City {
        let id: ID
        var name: String
        var country: Country.ID
        @Relationship(deleteRule: .deny, inverse: \Customer.city)
        var customers: ToMany<Customer>
    }

    @Model
    struct Category {
        let id: ID
        var name: String
    }

    @Model
    struct Film {
        let id: ID
        @Attribute(.searchable) var title: String
        var category: Category.ID
        var minutes: Int
        /// How many days a customer may keep it.
        var days: Double
        var rating: Rating
        var rate: Decimal
        @Relationship(deleteRule: .cascade, inverse: \Role.film)
        var roles: ToMany<Role>
        @Relationship(deleteRule: .cascade, inverse: \Copy.film)
        var copies: ToMany<Copy>
    }

    @Model
    struct Actor {
        let id: ID
        var first: String
        var last: String
        @Relationship(deleteRule: .cascade, inverse: \Role.actor)
        var roles: ToMany<Role>
    }

    @Model
    struct Role {
        #Unique<Role>([\.film, \.actor])

        let id: ID
        var film: Film.ID
        var actor: Actor.ID
    }

    @Model
    struct Shop {
        let id: ID
        var name: String
        @Relationship(deleteRule: .deny, inverse: \Copy.shop)
        var copies: ToMany<Copy>
    }

    @Model
    struct Copy {
        let id: ID
        var film: Film.ID
        var shop: Shop.ID
        @Relationship(deleteRule: .deny, inverse: \Rental.copy)
        var rentals: ToMany<Rental>
    }

    @Model
    struct Customer {
        let id: ID
        var name: String
        var city: City.ID
        @Relationship(deleteRule: .cascade, inverse: \Rental.customer)
        var rentals: ToMany<Rental>
        @Relationship(deleteRule: .cascade, inverse: \Payment.customer)
        var payments: ToMany<Payment>
    }

    @Model
    struct Rental {
        let id: ID
        var copy: Copy.ID
        var customer: Customer.ID
        var start: Date
        var end: Date?
    }

    @Model
    struct Payment {
        let id: ID
        var customer: Customer.ID
        var rental: Rental.ID
        var amount: Decimal
    }
}

extension Sakila {
    /// Inserts the sample: 5 films, 5 actors, 3 customers and 6 rentals.
    static func fill(_ tx: WriteTransaction) throws {
        let canada = try tx.insert(Country(name: "Canada"))
        let spain = try tx.insert(Country(name: "Spain"))
        let lethbridge = try tx.insert(City(name: "Lethbridge", country: canada.id))
        let ourense = try tx.insert(City(name: "Ourense", country: spain.id))
        let family = try tx.insert(Category(name: "Family"))
        let drama = try tx.insert(Category(name: "Drama"))
        let titles: [(String, Category, Int, Rating, Int)] = [
            ("Alone Trip", drama, 82, .restricted, 1), ("Hunchback Impossible", family, 151, .guided, 4),
            ("Kwai Homeward", drama, 46, .guided, 1), ("Queen Luke", family, 163, .guided, 4),
            ("Zorro Ark", family, 50, .general, 4),
        ]
        let films = titles.map {
            Film(
                title: $0.0, category: $0.1.id, minutes: $0.2, days: 3, rating: $0.3, rate: Decimal($0.4))
        }
        try tx.insert(contentsOf: films)
        let names = [("Ed", "Chase"), ("Joe", "Swank"), ("Kim", "Swank"), ("Uma", "Wood"), ("Val", "Bolger")]
        let actors = names.map { Actor(first: $0.0, last: $0.1) }
        try tx.insert(contentsOf: actors)
        for (film, cast) in [[0, 1, 2], [1, 3], [0], [0, 3]].enumerated() {
            try tx.insert(contentsOf: cast.map { Role(film: films[film].id, actor: actors[$0].id) })
        }
        let shops = [Shop(name: "North"), Shop(name: "South")]
        try tx.insert(contentsOf: shops)
        let places: [(Int, Int)] = [(0, 0), (1, 0), (1, 1), (1, 1), (2, 0), (3, 1)]
        let copies = places.map { Copy(film: films[$0.0].id, shop: shops[$0.1].id) }
        try tx.insert(contentsOf: copies)
        let customers = [
            Customer(name: "Ana", city: ourense.id), Customer(name: "Bob", city: lethbridge.id),
            Customer(name: "Cy", city: lethbridge.id),
        ]
        try tx.insert(contentsOf: customers)
        let loans: [(copy: Int, customer: Int, hour: Int, days: Int?, amount: Int)] = [
            (0, 0, 9, 2, 1), (1, 0, 9, 5, 4), (2, 1, 20, nil, 4), (4, 1, 20, 1, 1), (1, 1, 21, nil, 6),
            (5, 0, 9, 3, 4),
        ]
        // The first moment of August 2005 in UTC.
        let month = Date(timeIntervalSince1970: 1_122_854_400)
        for loan in loans {
            let (start, customer) = (month + TimeInterval(loan.hour * 3_600), customers[loan.customer].id)
            let rental = try tx.insert(
                Rental(
                    copy: copies[loan.copy].id, customer: customer, start: start,
                    end: loan.days.map { start + TimeInterval($0 * 86_400) }))
            try tx.insert(Payment(customer: customer, rental: rental.id, amount: Decimal(loan.amount)))
        }
    }
}
