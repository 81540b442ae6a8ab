import Foundation
import Switchyard

extension Reminders {
    static var questions: [Question<ReadTransaction>] { lists + screens + searches }

    private static var lists: [Question<ReadTransaction>] {
        [
            Question("the lists and how many reminders are open", ["Home 3", "Work 3", "Someday 0"]) {
                try $0.fetch(
                    List.sorted(by: \.position),
                    including: .count(\.reminders) { $0.where(\.completed, .equal, nil) }
                ) { "\($0.name) \($1)" }
            },
            Question(
                "the next three of each list",
                [
                    "Home: Buy milk, Water plants, Call Ana", "Work: Book flight, Plan trip, Book hotel",
                    "Someday: ",
                ]
            ) {
                try $0.fetch(
                    List.sorted(by: \.position),
                    including: .all(\.reminders) {
                        $0.where(\.completed, .equal, nil).sorted(by: \.due, nils: .last).limit(3)
                    }
                ) { "\($0.name): \($1.map(\.title).joined(separator: ", "))" }
            },
            Question("when each list is due next", ["Home 2026-03-09", "Work 2026-03-15", "Someday never"]) {
                try $0.fetch(
                    List.sorted(by: \.position),
                    including: .figure(\.reminders, .minimum(\.due)) { $0.where(\.completed, .equal, nil) }
                ) { "\($0.name) \(day($1))" }
            },
            Question("how much of each list is completed", ["Home 1 of 4", "Work 2 of 5"]) {
                try $0.aggregate(
                    Reminder.all, by: .over(\.list, .attribute(\.name)),
                    figures: .count(where: #Predicate { $0.completed != nil }), .count
                ).map { "\($0.key) \($0.figures.0) of \($0.figures.1)" }
            },
            Question("four counts at once: today, scheduled, flagged, completed", ["1 5 2 3"]) { tx in
                let today = march(10)..<march(11)
                // swift-format-ignore: NeverForceUnwrap
                let due = #Predicate<Reminder> { $0.completed == nil && today.contains($0.due!) }
                let scheduled = #Predicate<Reminder> { $0.completed == nil && $0.due != nil }
                let flagged = #Predicate<Reminder> { $0.completed == nil && $0.isFlagged }
                let completed = #Predicate<Reminder> { $0.completed != nil }
                let counts = try tx.aggregate(
                    Reminder.all, .count(where: due), .count(where: scheduled), .count(where: flagged),
                    .count(where: completed))
                return ["\(counts.0) \(counts.1) \(counts.2) \(counts.3)"]
            },
        ]
    }

    private static var screens: [Question<ReadTransaction>] {
        [
            Question(
                "the scheduled reminders, each with its list and its tags",
                [
                    "Buy milk, Home, errand home", "Water plants, Home, home",
                    "Book flight, Work, travel urgent",
                    "Plan trip, Work, travel", "Book hotel, Work, travel",
                ]
            ) {
                try $0.fetch(
                    Reminder.where(#Predicate { $0.completed == nil && $0.due != nil }).sorted(by: \.due),
                    including: .one(\.list),
                    .all(\.taggings, { $0.sorted(by: \.tag, \.name) }, including: .one(\.tag))
                ) { reminder, list, tags in
                    "\(reminder.title), \(list.name), \(tags.map(\.1.name).joined(separator: " "))"
                }
            },
            Question(
                "a list in its order, what is completed last",
                ["Buy milk", "Water plants", "Call Ana", "Pay rent"]
            ) {
                try $0.fetch(
                    Reminder.where(#Predicate { $0.list[\.name] == "Home" })
                        .sorted(by: #Expression { $0.completed != nil }).sorted(by: \.position), \.title)
            },
            Question(
                "a list by date, what has none first", ["Call Ana", "Pay rent", "Buy milk", "Water plants"]
            ) {
                try $0.fetch(
                    Reminder.where(#Predicate { $0.list[\.name] == "Home" }).sorted(by: \.due, nils: .first),
                    \.title)
            },
            Question(
                "what is open by priority, then by title",
                ["Book flight", "Buy milk", "Plan trip", "Book hotel", "Call Ana", "Water plants"]
            ) {
                try $0.fetch(
                    Reminder.where(\.completed, .equal, nil).sorted(by: \.priority, .descending)
                        .sorted(by: \.title), \.title)
            },
            Question(
                "a list by title, regardless of case and accents",
                ["Book flight", "Book hotel", "Café bill", "Plan trip", "write report"]
            ) {
                try $0.fetch(
                    Reminder.where(#Predicate { $0.list[\.name] == "Work" })
                        .sorted(by: #Expression { $0.title[\.folded] }), \.title)
            },
            Question("what is overdue", ["Buy milk"]) { tx in
                let today = march(10)
                // swift-format-ignore: NeverForceUnwrap
                return try tx.fetch(
                    Reminder.where(#Predicate { $0.completed == nil && $0.due! < today }), \.title)
            },
            Question("what is due after the reminder that it is part of", ["Book hotel"]) {
                // swift-format-ignore: NeverForceUnwrap
                try $0.fetch(Reminder.where(#Predicate { $0.due! > $0.parent[\.due]! }), \.title)
            },
            Question("what has parts, and how many", ["Plan trip 2"]) {
                try $0.fetch(Reminder.where(.count(\.parts), .greater, 0), including: .count(\.parts)) {
                    "\($0.title) \($1)"
                }
            },
            Question(
                "how much was completed on each weekday in Helsinki",
                ["tuesday 1", "thursday 1", "friday 1"]
            ) { tx in
                guard let zone = TimeZone(identifier: "Europe/Helsinki") else { return [] }
                return try tx.aggregate(
                    Reminder.where(\.completed, .notEqual, nil), by: .weekday(of: \.completed, in: zone),
                    figures: .count
                ).compactMap { group in group.key.map { "\($0) \(group.figures)" } }
            },
        ]
    }

    private static var searches: [Question<ReadTransaction>] {
        [
            Question("what mentions a caf\u{00E9}, in capitals and without the accent", ["Café bill"]) {
                try $0.fetch(
                    Reminder.where(#Predicate { $0.title.localizedStandardContains("CAFE") }), \.title)
            },
            Question("what is in one of some lists", ["Buy milk", "Call Ana", "Pay rent", "Water plants"]) {
                tx in
                let names = ["Home", "Someday"]
                return try tx.fetch(
                    Reminder.where(#Predicate { names.contains($0.list[\.name]) }).sorted(by: \.title),
                    \.title)
            },
            Question("what has one of two tags", ["Book flight", "Buy milk", "Water plants"]) {
                try $0.fetch(
                    Reminder.matching(.has(\.taggings, .over(\.tag, .where(\.name, in: ["home", "urgent"]))))
                        .sorted(by: \.title), \.title)
            },
            Question("what has both of two tags", ["Buy milk"]) {
                try $0.fetch(
                    Reminder.matching(
                        .all(
                            ["errand", "home"].map {
                                .has(\.taggings, .over(\.tag, .where(\.name, .equal, $0)))
                            })), \.title)
            },
            Question("what has no tag", ["Café bill", "write report"]) {
                try $0.fetch(
                    Reminder.where(#Predicate { $0.taggings[\.isEmpty] }).sorted(by: \.title), \.title)
            },
            Question("the top three tags", ["errand 3", "travel 3", "home 2"]) {
                try $0.aggregate(Tagging.all, by: .over(\.tag, .attribute(\.name)), figures: .count) {
                    $0.sorted(by: .count, .descending).limit(3)
                }.map { "\($0.key) \($0.figures)" }
            },
            Question("the tags that nothing has", ["idle"]) {
                try $0.fetch(Tag.where(#Predicate { $0.taggings[\.isEmpty] }), \.name)
            },
            Question("what has less than the median priority, by date", ["Plan trip", "Book hotel"]) {
                try $0.fetch(
                    Reminder.where(\.priority, .less, overall: .median(\.priority))
                        .matching(.where(\.due, .notEqual, nil)).sorted(by: \.due), \.title)
            },
        ]
    }

    /// What changes the sample, one change after another.
    static var changes: [Question<WriteTransaction>] {
        [
            Question("what is overdue is postponed by a week", ["1", "Buy milk 2026-03-16"]) { tx in
                let (today, week) = (march(10), 604_800.0)
                // swift-format-ignore: NeverForceUnwrap
                let overdue = Reminder.where(#Predicate { $0.completed == nil && $0.due! < today })
                // swift-format-ignore: NeverForceUnwrap
                let count = try tx.update(overdue, set: [.set(\.due, to: #Expression { $0.due! + week })])
                return try ["\(count)"]
                    + tx.fetch(Reminder.where(\.title, .equal, "Buy milk")).map {
                        "\($0.title) \(day($0.due))"
                    }
            },
            Question("a list is turned round", ["4", "Call Ana", "Water plants", "Pay rent", "Buy milk"]) {
                tx in
                let home = Reminder.where(#Predicate { $0.list[\.name] == "Home" }).sorted(by: \.position)
                let count = try tx.reorder(try tx.fetch(home).map(\.id).reversed(), by: \.position)
                return try ["\(count)"] + tx.fetch(home, \.title)
            },
            Question("a reminder comes after the last of its list", ["Pack 5"]) { tx in
                guard let work = try tx.first(List.where(\.name, .equal, "Work")) else { return [] }
                let added = try tx.append(
                    Reminder(title: "Pack", list: work.id), to: work.reminders, by: \.position)
                return ["\(added.title) \(added.position)"]
            },
            Question(
                "the parts are due when the whole is", ["Book flight 2026-03-20", "Book hotel 2026-03-20"]
            ) { tx in
                try tx.update(
                    Reminder.where(\.parent, .notEqual, nil),
                    set: [.set(\.due, to: #Expression { $0.parent[\.due] })])
                return try tx.fetch(Reminder.where(\.parent, .notEqual, nil).sorted(by: \.title)).map {
                    "\($0.title) \(day($0.due))"
                }
            },
            Question("everything of a list is completed", ["3", "0"]) { tx in
                let open = Reminder.where(#Predicate { $0.list[\.name] == "Home" && $0.completed == nil })
                let count = try tx.update(open, set: [.set(\.completed, to: march(10))])
                return ["\(count)", "\(try tx.count(open))"]
            },
            Question("what was completed before the tenth is deleted", ["2", "8"]) { tx in
                let start = march(10)
                // swift-format-ignore: NeverForceUnwrap
                let count = try tx.delete(Reminder.where(#Predicate { $0.completed! < start }))
                return ["\(count)", "\(try tx.count(Reminder.all))"]
            },
            Question(
                "what belongs to a list is copied to another",
                ["5", "10 Plan trip", "11 Book flight", "12 Book hotel", "13 write report", "15 Pack"]
            ) { tx in
                guard let work = try tx.first(List.where(\.name, .equal, "Work")),
                    let someday = try tx.first(List.where(\.name, .equal, "Someday"))
                else { return [] }
                let count = try tx.insert(
                    Reminder.self, from: Reminder.where(\.list, .equal, work.id).sorted(by: \.position),
                    setting: [
                        .set(\.title, to: \.title), .set(\.list, to: someday.id), .set(\.due, to: \.due),
                        .set(\.position, to: #Expression { $0.position + 10 }),
                    ])
                let copies = Reminder.where(\.list, .equal, someday.id).sorted(by: \.position)
                // The ids of copies ascend in the order of the rows that they are made from.
                guard try tx.fetch(copies, \.id) == tx.fetch(copies.sorted(by: \.id), \.id) else {
                    return []
                }
                return try ["\(count)"] + tx.fetch(copies).map { "\($0.position) \($0.title)" }
            },
        ]
    }
}
