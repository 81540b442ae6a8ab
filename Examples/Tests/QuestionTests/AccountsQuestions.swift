import Foundation
import Switchyard

extension Accounts {
    static var questions: [Question<ReadTransaction>] { accounts + categories + times }

    private static let expenses = Entry.where(#Predicate { $0.amount < 0 })
    private static let helsinki = TimeZone(identifier: "Europe/Helsinki") ?? .gmt

    private static var accounts: [Question<ReadTransaction>] {
        [
            Question(
                "each account with its balance and what is outstanding",
                ["Bank 1484.6 -15.4", "Card -60.3 -60.3", "Cash -2.3 0"]
            ) {
                try $0.fetch(
                    Account.sorted(by: \.name), including: .figure(\.entries, .sum(\.amount)),
                    .figure(\.entries, .sum(\.amount)) { $0.where(#Predicate { !$0.isCleared }) }
                ) { "\($0.name) \($0.opening + $1) \($2)" }
            },
            Question("the accounts from which more went than came", ["Card", "Cash"]) {
                try $0.fetch(
                    Account.where(.figure(\.entries, .sum(\.amount)), .less, 0).sorted(by: \.name), \.name)
            },
            Question("the balance after each entry of an account", ["1100", "500", "1500", "1484.6"]) {
                try $0.fetch(
                    Entry.where(#Predicate { $0.account[\.name] == "Bank" }).sorted(by: \.date),
                    including: .running(.sum(\.amount)), .one(\.account)
                ) { "\($2.opening + $1)" }
            },
            Question("the last entry of each account", ["Bank Bistro", "Card Market", "Cash market"]) {
                try $0.fetch(
                    Account.sorted(by: \.name),
                    including: .first(\.entries) { $0.sorted(by: \.date, .descending) }
                ) { "\($0.name) \($1?.payee ?? "none")" }
            },
            Question("the accounts that paid for leisure, three tables away", ["Bank", "Card"]) {
                try $0.fetch(
                    Account.where(
                        #Predicate { $0.entries.contains { $0.category[\.group][\.name] == "Leisure" } }
                    ).sorted(by: \.name), \.name)
            },
            Question("what was paid to a market, regardless of case", ["-12.3", "-20.05"]) {
                try $0.fetch(
                    Entry.where(#Predicate { $0.payee[\.folded] == "MARKET" }).sorted(by: \.date), \.amount
                ).map { "\($0)" }
            },
            Question("who was paid, or paid, more than once", ["Bistro 2", "Employer 2"]) {
                try $0.aggregate(Entry.all, by: .attribute(\.payee), figures: .count) {
                    $0.having(.count, .greater, 1)
                }.map { "\($0.key) \($0.figures)" }
            },
            Question("what a fee of a hundredth of all expenses would be", ["-6.88"]) { tx in
                let hundredth = Decimal(1) / 100
                return ["\(try tx.aggregate(expenses, .sum(#Expression { $0.amount * hundredth })))"]
            },
            Question("the expenses above the average expense", ["Landlord"]) {
                try $0.fetch(
                    expenses.where(\.amount, .less, overall: .average(\.amount), of: expenses), \.payee)
            },
            Question("the median expense", ["-20.05"]) {
                ["\(try $0.aggregate(expenses, .median(\.amount)) ?? 0)"]
            },
        ]
    }

    private static var categories: [Question<ReadTransaction>] {
        [
            Question("the expenses of each group, two tables away", ["Leisure -55.65", "Living -632.35"]) {
                try $0.aggregate(
                    expenses, by: .over(\.category, .over(\.group, .attribute(\.name))),
                    figures: .sum(\.amount)
                ).map { "\($0.key ?? "none") \($0.figures)" }
            },
            Question("the share of each group in all expenses", ["Leisure 8", "Living 91"]) {
                try $0.aggregate(
                    expenses, by: .over(\.category, .over(\.group, .attribute(\.name))),
                    figures: .sum(\.amount), .overall(.sum(\.amount))
                ).map { group in
                    let share = NSDecimalNumber(decimal: group.figures.0 * 100 / group.figures.1)
                    return "\(group.key ?? "none") \(share.intValue)"
                }
            },
            Question("the sum of each tag, over a link", ["holiday -55.65", "work -52.55"]) {
                try $0.aggregate(
                    EntryTag.all, by: .over(\.tag, .attribute(\.name)),
                    figures: .sum(#Expression { $0.entry[\.amount] })
                ).map { "\($0.key) \($0.figures)" }
            },
            Question("the categories with a greater limit than the one above", ["Restaurants"]) {
                // swift-format-ignore: NeverForceUnwrap
                try $0.fetch(Category.where(#Predicate { $0.limit > $0.parent[\.limit]! }), \.name)
            },
            Question("everything below a category", ["Groceries 1", "Restaurants 1", "Tapas 2"]) { tx in
                guard let food = try tx.first(Category.where(\.name, .equal, "Food")) else { return [] }
                return try tx.descendants(of: food.id, by: \.parent).map { "\($0.row.name) \($0.level)" }
                    .sorted()
            },
            Question("the categories without an entry of their own", ["Food"]) {
                try $0.fetch(Category.where(#Predicate { $0.entries[\.isEmpty] }), \.name)
            },
            Question("how many entries have no category", ["2"]) {
                ["\(try $0.count(Entry.where(\.category, .equal, nil)))"]
            },
            Question(
                "what is left of each category's limit",
                ["Food 200", "Groceries 117.65", "Rent 300", "Restaurants 209.75", "Tapas 34.6"]
            ) {
                try $0.fetch(
                    Category.sorted(by: \.name), including: .figure(\.entries, .sum(\.amount))
                ) { "\($0.name) \($0.limit + $1)" }
            },
        ]
    }

    private static var times: [Question<ReadTransaction>] {
        [
            Question("the sum of each month in Helsinki", ["2026-02-01 1347.45", "2026-03-01 -35.45"]) {
                try $0.aggregate(Entry.all, by: .month(of: \.date, in: helsinki), figures: .sum(\.amount)).map
                {
                    "\($0.key) \($0.figures)"
                }
            },
            Question("the sum up to each month", ["2026-02-01 1347.45", "2026-03-01 1312"]) {
                try $0.aggregate(
                    Entry.all, by: .month(of: \.date, in: helsinki), figures: .running(.sum(\.amount))
                ).map { "\($0.key) \($0.figures)" }
            },
            Question("the months of more than 100 in expenses", ["2026-02-01 -652.55"]) {
                try $0.aggregate(expenses, by: .month(of: \.date, in: helsinki), figures: .sum(\.amount)) {
                    $0.having(.sum(\.amount), .less, -100)
                }.map { "\($0.key) \($0.figures)" }
            },
            Question(
                "each payment to the bistro with the one before", ["-40.25 nil", "-15.4 -40.25"]
            ) {
                try $0.fetch(
                    Entry.where(\.payee, .equal, "Bistro").sorted(by: \.date),
                    including: .previous(\.amount)
                ) { "\($0.amount) \($1.map { "\($0)" } ?? "nil")" }
            },
        ]
    }

    /// What changes the sample.
    static var changes: [Question<WriteTransaction>] {
        [
            Question(
                "the limits below another become half of it",
                ["Groceries 100", "Restaurants 100", "Tapas 125"]
            ) { tx in
                let half = Decimal(1) / 2
                try tx.update(
                    Category.where(\.parent, .notEqual, nil),
                    set: [.set(\.limit, to: #Expression { ($0.parent[\.limit] ?? half) * half })])
                return try tx.fetch(Category.where(\.parent, .notEqual, nil).sorted(by: \.name)).map {
                    "\($0.name) \($0.limit)"
                }
            }
        ]
    }
}
