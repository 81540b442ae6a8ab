import Foundation
import Switchyard

extension Chinook {
    static var questions: [Question<ReadTransaction>] { catalogue + sales + people + windows }

    private static var catalogue: [Question<ReadTransaction>] {
        [
            Question("the albums of AC/DC", ["For Those About To Rock", "Let There Be Rock"]) {
                try $0.fetch(
                    Album.where(#Predicate { $0.artist[\.name] == "AC/DC" }).sorted(by: \.title), \.title)
            },
            Question(
                "the artists, regardless of case",
                ["AC/DC", "Accept", "Aerosmith", "alanis morissette", "Azymuth"]
            ) {
                try $0.fetch(Artist.sorted(by: #Expression { $0.name[\.folded] }), \.name)
            },
            Question("the artists without an album", ["Azymuth"]) {
                try $0.fetch(Artist.where(#Predicate { $0.albums[\.isEmpty] }), \.name)
            },
            Question("the tracks with \u{201C}rock\u{201D} in their names", ["For Those About To Rock"]) {
                try $0.fetch(
                    Track.where(#Predicate { $0.name.localizedStandardContains("ROCK") }), \.name)
            },
            Question("the genres and how many tracks each has", ["Jazz 0", "Metal 1", "Rock 8"]) {
                try $0.fetch(Genre.sorted(by: \.name), including: .count(\.tracks)) { "\($0.name) \($1)" }
            },
            Question("the genres by their number of tracks", ["Rock", "Metal", "Jazz"]) {
                try $0.fetch(Genre.sorted(by: .count(\.tracks), .descending), \.name)
            },
            Question(
                "the three longest tracks", ["Overdose", "For Those About To Rock", "Balls to the Wall"]
            ) {
                try $0.fetch(Track.sorted(by: \.milliseconds, .descending).limit(3), \.name)
            },
            Question(
                "the albums by their length",
                [
                    "Let There Be Rock", "For Those About To Rock", "Big Ones", "Balls to the Wall",
                    "Jagged Little Pill",
                ]
            ) {
                try $0.fetch(Album.sorted(by: .figure(\.tracks, .sum(\.milliseconds)), .descending), \.title)
            },
            Question(
                "the longest track of each album",
                ["Overdose", "For Those About To Rock", "Cryin'", "Balls to the Wall", "Ironic"]
            ) {
                try $0.fetch(
                    Album.sorted(by: .figure(\.tracks, .sum(\.milliseconds)), .descending),
                    including: .first(\.tracks) { $0.sorted(by: \.milliseconds, .descending) }
                ) { $1?.name ?? "" }
            },
            Question("the average length of each genre's tracks in seconds", ["Metal 342", "Rock 294"]) {
                try $0.aggregate(
                    Track.all, by: .over(\.genre, .attribute(\.name)), figures: .average(\.milliseconds)
                ).map { "\($0.key) \(Int($0.figures ?? 0) / 1_000)" }
            },
            Question(
                "the albums whose tracks all cost 0.99",
                ["Balls to the Wall", "For Those About To Rock", "Jagged Little Pill", "Let There Be Rock"]
            ) { tx in
                let cheap = Decimal(99) / 100
                return try tx.fetch(
                    Album.where(#Predicate { $0.tracks.allSatisfy { $0.unitPrice == cheap } })
                        .sorted(by: \.title), \.title)
            },
            Question("the composers", ["none", "AC/DC", "Ballard", "Tyler", "Young"]) {
                try $0.fetch(Track.all, distinct: \.composer).map { $0 ?? "none" }
            },
            Question(
                "the tracks of two artists by composer, those without last",
                ["Walk On Water", "Cryin'", "Balls to the Wall"]
            ) { tx in
                let names = ["Accept", "Aerosmith"]
                return try tx.fetch(
                    Track.where(#Predicate { names.contains($0.album[\.artist][\.name]) })
                        .sorted(by: \.composer, nils: .last).sorted(by: \.milliseconds), \.name)
            },
            Question("how many composers there are", ["4"]) {
                ["\(try $0.aggregate(Track.all, .count(distinct: \.composer)))"]
            },
            Question("the genres of more than one composer", ["Rock 4"]) {
                try $0.aggregate(
                    Track.all, by: .over(\.genre, .attribute(\.name)), figures: .count(distinct: \.composer)
                ) { $0.having(.count(distinct: \.composer), .greater, 1) }.map { "\($0.key) \($0.figures)" }
            },
            Question(
                "the playlists and their numbers of tracks", ["Audiobooks 0", "Heavy Metal 2", "Music 9"]
            ) {
                try $0.fetch(Playlist.sorted(by: \.name), including: .count(\.placements)) {
                    "\($0.name) \($1)"
                }
            },
            Question("the length of a playlist", ["686281"]) {
                [
                    "\(try $0.aggregate(Track.matching(.has(\.placements, .over(\.playlist, .where(\.name, .equal, "Heavy Metal")))), .sum(\.milliseconds)))"
                ]
            },
            Question("the length of every playlist", ["Audiobooks 0", "Heavy Metal 686281", "Music 2700241"])
            {
                try $0.fetch(
                    Playlist.sorted(by: \.name),
                    including: .figure(\.placements, .sum(#Expression { $0.track[\.milliseconds] }))
                ) { "\($0.name) \($1)" }
            },
            Question(
                "the genres of each playlist and how many tracks each has",
                ["Heavy Metal Metal 1", "Heavy Metal Rock 1", "Music Metal 1", "Music Rock 8"]
            ) {
                try $0.aggregate(
                    Placement.all, by: .over(\.playlist, .attribute(\.name)),
                    .over(\.track, .over(\.genre, .attribute(\.name))), figures: .count
                ).map { "\($0.key.0) \($0.key.1) \($0.figures)" }
            },
            Question(
                "the tracks longer than the average",
                ["Balls to the Wall", "Cryin'", "For Those About To Rock", "Go Down", "Overdose"]
            ) {
                try $0.fetch(
                    Track.where(\.milliseconds, .greater, overall: .average(\.milliseconds))
                        .sorted(by: \.name), \.name)
            },
            Question("the tracks of two playlists", ["Balls to the Wall", "For Those About To Rock"]) {
                try $0.fetch(Track.where(.count(\.placements), .equal, 2).sorted(by: \.name), \.name)
            },
        ]
    }
}

extension Chinook {
    private static var sales: [Question<ReadTransaction>] {
        [
            Question("what was sold in all", ["10.5"]) {
                ["\(try $0.aggregate(Invoice.all, .sum(\.total)))"]
            },
            Question("the sales of each country, most first", ["Germany 4.95", "Brazil 4.26", "Canada 1.29"])
            {
                try $0.aggregate(
                    Invoice.all, by: .over(\.customer, .attribute(\.country)), figures: .sum(\.total)
                ) { $0.sorted(by: .sum(\.total), .descending) }.map { "\($0.key) \($0.figures)" }
            },
            Question("the sales of each year", ["2009-01-01 7.23", "2010-01-01 3.27"]) {
                try $0.aggregate(Invoice.all, by: .year(of: \.date, in: .gmt), figures: .sum(\.total)).map {
                    "\($0.key) \($0.figures)"
                }
            },
            Question("the best year", ["2009-01-01"]) {
                try $0.aggregate(Invoice.all, by: .year(of: \.date, in: .gmt), figures: .sum(\.total)) {
                    $0.sorted(by: .sum(\.total), .descending).limit(1)
                }.map { "\($0.key)" }
            },
            Question("the number of invoices by weekday", ["wednesday 2", "thursday 2", "friday 1"]) {
                try $0.aggregate(Invoice.all, by: .weekday(of: \.date, in: .gmt), figures: .count).map {
                    "\($0.key) \($0.figures)"
                }
            },
            Question("the number of invoices of early 2009", ["3"]) { tx in
                let (start, end) = (
                    try Date("2009-01-01T00:00:00Z", strategy: .iso8601),
                    try Date("2009-04-01T00:00:00Z", strategy: .iso8601)
                )
                return ["\(try tx.count(Invoice.where(#Predicate { $0.date >= start && $0.date < end })))"]
            },
            Question("the invoices of more than one line, by their number", ["3.96", "1.98", "2.28"]) {
                try $0.fetch(
                    Invoice.where(.count(\.lines), .greater, 1).sorted(by: .count(\.lines), .descending)
                        .sorted(by: \.date), \.total
                ).map { "\($0)" }
            },
            Question("the tracks that nobody bought", ["Dog Eat Dog"]) {
                try $0.fetch(Track.where(#Predicate { $0.lines[\.isEmpty] }), \.name)
            },
            Question("the tracks bought most", ["Cryin'", "For Those About To Rock"]) {
                try $0.fetch(
                    Track.sorted(by: .count(\.lines), .descending).sorted(by: \.name).limit(2), \.name)
            },
            Question(
                "the sales of each artist, four tables away, most first",
                ["AC/DC 4.95", "Aerosmith 3.57", "Accept 0.99", "alanis morissette 0.99"]
            ) {
                try $0.aggregate(
                    InvoiceLine.all, by: .over(\.track, .over(\.album, .over(\.artist, .attribute(\.name)))),
                    figures: .sum(\.unitPrice)
                ) { $0.sorted(by: .sum(\.unitPrice), .descending) }.map { "\($0.key) \($0.figures)" }
            },
            Question("the sales by quantity times price", ["10.5"]) {
                ["\(try $0.aggregate(InvoiceLine.all, .sum(#Expression { $0.quantity * $0.unitPrice })))"]
            },
            Question("how many lines were sold at their track's price", ["10"]) {
                ["\(try $0.count(InvoiceLine.where(#Predicate { $0.unitPrice == $0.track[\.unitPrice] })))"]
            },
            Question(
                "the running total of sales by month",
                [
                    "2009-01-01 1.98", "2009-02-01 5.94", "2009-03-01 7.23", "2010-01-01 9.51",
                    "2010-03-01 10.5",
                ]
            ) {
                try $0.aggregate(
                    Invoice.all, by: .month(of: \.date, in: .gmt), figures: .running(.sum(\.total))
                ).map { "\($0.key) \($0.figures)" }
            },
            Question("the share of each country in all sales", ["Brazil 40", "Canada 12", "Germany 47"]) {
                try $0.aggregate(
                    Invoice.all, by: .over(\.customer, .attribute(\.country)),
                    figures: .sum(\.total), .overall(.sum(\.total))
                ).map { country in
                    let share = NSDecimalNumber(decimal: country.figures.0 * 100 / country.figures.1)
                    return "\(country.key) \(share.intValue)"
                }
            },
            Question("the sales of each genre", ["Metal 0.99", "Rock 9.51"]) {
                try $0.aggregate(
                    InvoiceLine.all, by: .over(\.track, .over(\.genre, .attribute(\.name))),
                    figures: .sum(\.unitPrice)
                ).map { "\($0.key) \($0.figures)" }
            },
        ]
    }

    private static var people: [Question<ReadTransaction>] {
        [
            Question("the customers who never bought", ["Helena"]) {
                try $0.fetch(Customer.where(#Predicate { $0.invoices[\.isEmpty] }), \.name)
            },
            Question("the customer who spent most", ["Leonie"]) {
                try $0.fetch(
                    Customer.sorted(by: .figure(\.invoices, .sum(\.total)), .descending).limit(1), \.name)
            },
            Question("the customers who spent more than 4", ["Leonie", "Luís"]) {
                try $0.fetch(
                    Customer.where(.figure(\.invoices, .sum(\.total)), .greater, 4).sorted(by: \.name), \.name
                )
            },
            Question("the customers by their average invoice", ["Leonie", "Luís", "François", "Helena"]) {
                try $0.fetch(
                    Customer.sorted(by: .figure(\.invoices, .average(\.total)), .descending), \.name)
            },
            Question(
                "the last invoice of each customer",
                ["François 1.29", "Helena none", "Leonie 0.99", "Luís 2.28"]
            ) {
                try $0.fetch(
                    Customer.sorted(by: \.name),
                    including: .first(\.invoices) { $0.sorted(by: \.date, .descending) }
                ) { "\($0.name) \($1.map { "\($0.total)" } ?? "none")" }
            },
            Question(
                "the number of invoices, their sum and the last two",
                [
                    "François 1 1.29 [1.29]", "Helena 0 0 []", "Leonie 2 4.95 [0.99, 3.96]",
                    "Luís 2 4.26 [2.28, 1.98]",
                ]
            ) {
                try $0.fetch(
                    Customer.sorted(by: \.name), including: .count(\.invoices),
                    .figure(\.invoices, .sum(\.total)),
                    .all(\.invoices) { $0.sorted(by: \.date, .descending).limit(2) }
                ) { customer, count, sum, last in
                    "\(customer.name) \(count) \(sum) \(last.map(\.total))"
                }
            },
            Question("the customers who bought Ironic", ["Luís"]) {
                try $0.fetch(
                    Customer.where(
                        #Predicate {
                            $0.invoices.contains { $0.lines.contains { $0.track[\.name] == "Ironic" } }
                        }),
                    \.name)
            },
            Question("the customers who bought of an artist, five tables away", ["Leonie"]) {
                let track = Filter<Track>.over(\.album, .over(\.artist, .where(\.name, .equal, "Accept")))
                return try $0.fetch(
                    Customer.matching(.has(\.invoices, .has(\.lines, .over(\.track, track)))), \.name)
            },
            Question("the sales of each adviser, two tables away", ["Park 4.95", "Peacock 5.55"]) {
                try $0.aggregate(
                    Invoice.all, by: .over(\.customer, .over(\.adviser, .attribute(\.name))),
                    figures: .sum(\.total)
                ).map { "\($0.key ?? "none") \($0.figures)" }
            },
            Question("the customers of each adviser", ["Park Helena Leonie", "Peacock François Luís"]) {
                try $0.fetch(
                    Employee.where(#Predicate { !$0.customers[\.isEmpty] }).sorted(by: \.name),
                    including: .all(\.customers) { $0.sorted(by: \.name) }
                ) { ([$0.name] + $1.map(\.name)).joined(separator: " ") }
            },
            Question(
                "who reports to whom", ["Adams none", "Edwards Adams", "Park Edwards", "Peacock Edwards"]
            ) {
                try $0.fetch(Employee.sorted(by: \.name), including: .one(\.boss)) {
                    "\($0.name) \($1?.name ?? "none")"
                }
            },
            Question("who has two reports at least", ["Edwards"]) {
                try $0.fetch(Employee.where(.count(\.reports), .greaterOrEqual, 2), \.name)
            },
            Question("whose boss reports to Adams", ["Park", "Peacock"]) {
                try $0.fetch(
                    Employee.where(#Predicate { $0.boss[\.boss][\.name] == "Adams" }).sorted(by: \.name),
                    \.name)
            },
            Question("the countries of customers", ["Brazil", "Canada", "Czechia", "Germany"]) {
                try $0.fetch(Customer.all, distinct: \.country)
            },
        ]
    }

    private static var windows: [Question<ReadTransaction>] {
        [
            Question("the running total of sales", ["1.98", "5.94", "7.23", "9.51", "10.5"]) {
                try $0.fetch(Invoice.sorted(by: \.date), including: .running(.sum(\.total))) { "\($1)" }
            },
            Question(
                "each sale with the one to the same customer before", ["nil", "nil", "nil", "1.98", "3.96"]
            ) {
                try $0.fetch(
                    Invoice.sorted(by: \.date), including: .previous(\.total, per: \.customer)
                ) { $1.map { "\($0)" } ?? "nil" }
            },
            Question("the median length of each genre's tracks in seconds", ["Metal 342", "Rock 302"]) {
                try $0.aggregate(
                    Track.all, by: .over(\.genre, .attribute(\.name)), figures: .median(\.milliseconds)
                ).map { "\($0.key) \(Int($0.figures ?? 0) / 1_000)" }
            },
            Question("the tracks that cost more than 1 with a fifth off", ["Cryin'"]) {
                let (share, price) = (Decimal(8) / 10, Decimal(1))
                return try $0.fetch(Track.where(#Predicate { $0.unitPrice * share > price }), \.name)
            },
            Question("everyone below the manager", ["Edwards 1", "Park 2", "Peacock 2"]) {
                guard let boss = try $0.first(Employee.where(\.boss, .equal, nil)) else { return [] }
                return try $0.descendants(of: boss.id, by: \.boss).map { "\($0.row.name) \($0.level)" }
                    .sorted()
            },
            Question("everyone above an employee", ["Edwards", "Adams"]) {
                guard let park = try $0.first(Employee.where(\.name, .equal, "Park")) else { return [] }
                return try $0.ancestors(of: park, by: \.boss).map(\.name)
            },
        ]
    }
}
