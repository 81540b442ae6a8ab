import Foundation
import Switchyard

extension Sakila {
    static var questions: [Question<ReadTransaction>] { films + lending }

    private static var films: [Question<ReadTransaction>] {
        [
            Question("the actors named Swank", ["Joe Swank", "Kim Swank"]) {
                try $0.fetch(Actor.where(\.last, .equal, "Swank").sorted(by: \.first)).map {
                    "\($0.first) \($0.last)"
                }
            },
            Question(
                "the last names and how many actors have each", ["Bolger 1", "Chase 1", "Swank 2", "Wood 1"]
            ) {
                try $0.aggregate(Actor.all, by: .attribute(\.last), figures: .count).map {
                    "\($0.key) \($0.figures)"
                }
            },
            Question("the last names of two actors at least", ["Swank"]) {
                try $0.aggregate(Actor.all, by: .attribute(\.last), figures: .count) {
                    $0.having(.count, .greaterOrEqual, 2)
                }.map(\.key)
            },
            Question("the actors of Alone Trip", ["Ed", "Joe", "Kim"]) {
                try $0.fetch(
                    Actor.where(#Predicate { $0.roles.contains { $0.film[\.title] == "Alone Trip" } })
                        .sorted(by: \.first), \.first)
            },
            Question("the films and their numbers of actors, most first", ["3", "2", "2", "1", "0"]) {
                try $0.fetch(
                    Film.sorted(by: .count(\.roles), .descending), including: .count(\.roles)
                ) { "\($1)" }
            },
            Question("the actor of most films", ["Ed Chase"]) {
                try $0.fetch(Actor.sorted(by: .count(\.roles), .descending).limit(1)).map {
                    "\($0.first) \($0.last)"
                }
            },
            Question("the actors without a film", ["Val"]) {
                try $0.fetch(Actor.where(#Predicate { $0.roles[\.isEmpty] }), \.first)
            },
            Question("the films beginning with K or Q", ["Kwai Homeward", "Queen Luke"]) {
                try $0.fetch(
                    Film.matching(
                        anyOf: #Predicate { $0.title.starts(with: "K") },
                        #Predicate { $0.title.starts(with: "Q") }
                    ).sorted(by: \.title), \.title)
            },
            Question("how many copies of Hunchback Impossible there are", ["3"]) {
                ["\(try $0.count(Copy.where(#Predicate { $0.film[\.title] == "Hunchback Impossible" })))"]
            },
            Question("the films without a copy", ["Zorro Ark"]) {
                try $0.fetch(Film.where(#Predicate { $0.copies[\.isEmpty] }), \.title)
            },
            Question("the family films", ["Hunchback Impossible", "Queen Luke", "Zorro Ark"]) {
                try $0.fetch(
                    Film.where(#Predicate { $0.category[\.name] == "Family" }).sorted(by: \.title), \.title)
            },
            Question("the average length by rating", ["G 50.0", "PG 120.0", "R 82.0"]) {
                try $0.aggregate(Film.all, by: .attribute(\.rating), figures: .average(\.minutes)).map {
                    "\($0.key.rawValue) \($0.figures ?? 0)"
                }
            },
            Question(
                "the films by their minutes beyond full hours",
                ["Zorro Ark", "Kwai Homeward", "Queen Luke", "Hunchback Impossible", "Alone Trip"]
            ) {
                try $0.fetch(Film.sorted(by: #Expression { $0.minutes % 60 }, .descending), \.title)
            },
            Question("the categories and their longest films", ["Drama 82", "Family 163"]) {
                try $0.aggregate(
                    Film.all, by: .over(\.category, .attribute(\.name)), figures: .maximum(\.minutes)
                ).map { "\($0.key) \($0.figures ?? 0)" }
            },
        ]
    }

    private static var lending: [Question<ReadTransaction>] {
        [
            Question("what each customer paid", ["Ana 9", "Bob 11", "Cy 0"]) {
                try $0.fetch(
                    Customer.sorted(by: \.name), including: .figure(\.payments, .sum(\.amount))
                ) { "\($0.name) \($1)" }
            },
            Question("the customers of Canada", ["Bob", "Cy"]) {
                try $0.fetch(
                    Customer.where(#Predicate { $0.city[\.country][\.name] == "Canada" }).sorted(by: \.name),
                    \.name)
            },
            Question("the films lent most, two tables away", ["Hunchback Impossible 3"]) {
                try $0.aggregate(
                    Rental.all, by: .over(\.copy, .over(\.film, .attribute(\.title))), figures: .count
                ) { $0.sorted(by: .count, .descending).limit(1) }.map { "\($0.key) \($0.figures)" }
            },
            Question("the income of each shop, three tables away", ["North 12", "South 8"]) {
                try $0.aggregate(
                    Payment.all, by: .over(\.rental, .over(\.copy, .over(\.shop, .attribute(\.name)))),
                    figures: .sum(\.amount)
                ).map { "\($0.key) \($0.figures)" }
            },
            Question("the income of each category, four tables away, most first", ["Family 18", "Drama 2"]) {
                try $0.aggregate(
                    Payment.all,
                    by: .over(\.rental, .over(\.copy, .over(\.film, .over(\.category, .attribute(\.name))))),
                    figures: .sum(\.amount)
                ) { $0.sorted(by: .sum(\.amount), .descending).limit(5) }.map { "\($0.key) \($0.figures)" }
            },
            Question("the rentals by hour of the day", ["9 3", "20 2", "21 1"]) {
                try $0.aggregate(Rental.all, by: .hourOfDay(of: \.start, in: .gmt), figures: .count).map {
                    "\($0.key) \($0.figures)"
                }
            },
            Question("the rentals that are out, and who has them", ["Bob", "Bob"]) {
                try $0.fetch(Rental.where(#Predicate { $0.end == nil }), including: .one(\.customer)) {
                    $1.name
                }
            },
            Question("the customers who lent and have not returned", ["Bob"]) {
                try $0.fetch(Customer.where(#Predicate { $0.rentals.contains { $0.end == nil } }), \.name)
            },
            Question("the customers by their average payment, without any last", ["Ana", "Bob", "Cy"]) {
                try $0.fetch(
                    Customer.sorted(by: .figure(\.payments, .average(\.amount)), nils: .last), \.name)
            },
            Question("the customers of more than two rentals", ["Ana", "Bob"]) {
                try $0.fetch(Customer.where(.count(\.rentals), .greater, 2).sorted(by: \.name), \.name)
            },
            Question("the cities by their number of customers", ["Lethbridge", "Ourense"]) {
                try $0.fetch(City.sorted(by: .count(\.customers), .descending), \.name)
            },
            Question("the copies that were never lent", ["South"]) {
                try $0.fetch(
                    Copy.where(#Predicate { $0.rentals[\.isEmpty] }), including: .one(\.shop)
                ) { $1.name }
            },
            Question(
                "the rank of each film by its length within its category",
                ["Queen Luke 1", "Hunchback Impossible 2", "Alone Trip 1", "Zorro Ark 3", "Kwai Homeward 2"]
            ) {
                try $0.fetch(
                    Film.sorted(by: \.minutes, .descending), including: .rank(per: \.category)
                ) { "\($0.title) \($1)" }
            },
            Question(
                "each rental that is out, with its copy and the copy's film",
                ["Hunchback Impossible", "Hunchback Impossible"]
            ) {
                try $0.fetch(
                    Rental.where(#Predicate { $0.end == nil }),
                    including: .one(\.copy, including: .one(\.film))
                ) { $1.1.title }
            },
            Question("who kept a film for more than three days", ["Ana"]) {
                // swift-format-ignore: NeverForceUnwrap
                try $0.fetch(
                    Rental.where(#Predicate { $0.end! > $0.start + 259_200 }), including: .one(\.customer)
                ) { $1.name }
            },
            Question(
                "the rentals that came back late, by each film's own days", ["Ana Hunchback Impossible"]
            ) {
                // swift-format-ignore: NeverForceUnwrap
                try $0.fetch(
                    Rental.where(#Predicate { $0.end! > $0.start + $0.copy[\.film][\.days] * 86_400 }),
                    including: .one(\.customer), .one(\.copy, including: .one(\.film))
                ) { "\($1.name) \($2.1.title)" }
            },
            Question("how many minutes each customer has lent", ["Ana 396", "Bob 348", "Cy 0"]) {
                try $0.fetch(
                    Customer.sorted(by: \.name),
                    including: .figure(\.rentals, .sum(#Expression { $0.copy[\.film][\.minutes] }))
                ) { "\($0.name) \($1)" }
            },
            Question("the films longer than the average", ["Hunchback Impossible", "Queen Luke"]) {
                try $0.fetch(
                    Film.where(\.minutes, .greater, overall: .average(\.minutes)).sorted(by: \.title), \.title
                )
            },
            Question("who played with Ed Chase", ["Joe", "Kim", "Uma"]) {
                try $0.fetch(
                    Actor.where(\.first, .notEqual, "Ed").matching(
                        .has(
                            \.roles,
                            .over(\.film, .has(\.roles, .over(\.actor, .where(\.first, .equal, "Ed")))))
                    ).sorted(by: \.first), \.first)
            },
            Question("the median payment", ["4"]) {
                ["\(try $0.aggregate(Payment.all, .median(\.amount)) ?? 0)"]
            },
        ]
    }
}
