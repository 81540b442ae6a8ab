import Foundation
import SQLiteStore
import Switchyard
import Testing

@Suite("The article on queries")
struct QueriesArticle {
    @Test("a query combines predicates, orders and limits")
    func fetches() async throws {
        let store = try await cinema()
        let recent = try await store.read { tx in
            try tx.fetch(
                Film.where(#Predicate { $0.year >= 1965 && $0.rating != nil })
                    .sorted(by: \.year, .descending)
                    .limit(20))
        }
        #expect(recent.map(\.title) == ["Playtime"])
    }

    @Test("a condition asks about related rows")
    func relationships() async throws {
        let store = try await cinema()
        let (byVarda, shown, prolific) = try await store.read { tx in
            (
                try tx.fetch(Film.where(#Predicate { $0.director[\.name] == "Agnès Varda" })),
                try tx.fetch(Film.where(#Predicate { $0.screenings.contains { $0.seats > 50 } })),
                try tx.fetch(Director.where(#Predicate { $0.films[\.count] > 1 }))
            )
        }
        #expect(byVarda.count == 2)
        #expect(shown.map(\.title) == ["Cléo from 5 to 7"])
        #expect(prolific.map(\.name) == ["Agnès Varda"])
    }

    @Test("a fetch includes related rows and figures over them")
    func related() async throws {
        let store = try await cinema()
        let (names, counts) = try await store.read { tx in
            let films = try tx.fetch(
                Film.sorted(by: \.title), including: .one(\.director), .count(\.screenings))
            for (film, director, screenings) in films { print(film.title, director?.name ?? "", screenings) }

            let directors = try tx.fetch(
                Director.all,
                including: .all(
                    \.films, { $0.sorted(by: \.year, .descending).limit(3) }, including: .count(\.screenings))
            )
            #expect(films.map(\.2) == [1, 0, 0])
            return (films.map { $0.1?.name }, directors.map { $0.1.map { [$0.0.year, $0.1] } })
        }
        #expect(names == ["Agnès Varda", "Jacques Tati", "Agnès Varda"])
        #expect(Set(counts) == [[[2000, 0], [1962, 1]], [[1967, 0]]])
        let seats = try await store.read { tx in
            struct FilmCard: Equatable { var film: Film; var director: Director; var seats: Int }
            let cards = try tx.fetch(
                Film.all, including: .required(\.director), .figure(\.screenings, .sum(\.seats)),
                as: FilmCard.init)
            return cards.map(\.seats).sorted()
        }
        #expect(seats == [0, 0, 80])
        let order = try await store.read { tx in
            try tx.fetch(Film.sorted(by: \.director, \.name).sorted(by: \.year), \.year)
        }
        #expect(order == [1962, 2000, 1967])
    }

    @Test("a predicate compares with a model's attributes")
    func captured() async throws {
        let store = try await cinema()
        let (seats, titles) = try await store.read { tx in
            let cleo = try #require(try tx.first(Film.where(#Predicate { $0.year == 1962 })))
            let varda = try #require(try tx.first(Director.where(#Predicate { $0.name == "Agnès Varda" })))
            let showings = try tx.fetch(Screening.where(#Predicate { $0.film == cleo.id }))
            let id = varda.id
            let films = try tx.fetch(Film.where(#Predicate { $0.director == id }))
            return (showings.map(\.seats), Set(films.map(\.title)))
        }
        #expect(seats == [80])
        #expect(titles == ["Cléo from 5 to 7", "The Gleaners and I"])
    }

    @Test("text is searched without regard to case and accents where it is searchable")
    func search() async throws {
        let store = try await cinema()
        let (within, begins, whole) = try await store.read { tx in
            (
                try tx.fetch(Film.where(#Predicate { $0.title.localizedStandardContains("cleo") })),
                try tx.fetch(Film.where(#Predicate { $0.title[\.folded].starts(with: "THE") })),
                try tx.fetch(Film.where(#Predicate { $0.title[\.folded] == "playtime" }))
            )
        }
        #expect(within.map(\.year) == [1962])
        #expect(begins.map(\.year) == [2000])
        #expect(whole.map(\.year) == [1967])
    }

    @Test("the store calculates counts, averages and extremes")
    func figures() async throws {
        let store = try await cinema()
        let (count, average, latest, most) = try await store.read { tx in
            (
                try tx.count(Film.all),
                try tx.aggregate(Film.all, .average(\.rating)),
                try tx.aggregate(Film.all, .maximum(\.year)),
                try tx.aggregate(Film.all, .percentile(0.9, of: \.rating))
            )
        }
        #expect(abs((most ?? 0) - 7.89) < 1e-9)
        #expect(count == 3)
        #expect(average == 7.85)
        #expect(latest == 2000)
    }

    @Test("figures are calculated for groups")
    func groups() async throws {
        let store = try await cinema()
        let zone = try #require(TimeZone(identifier: "Europe/Paris"))
        let (directors, months) = try await store.read { tx in
            let byDirector = try tx.aggregate(
                Film.all, by: .over(\.director, .attribute(\.name)), figures: .count, .average(\.rating))
            let byMonth = try tx.aggregate(
                Screening.all, by: .month(of: \.start, in: zone), .over(\.film, .attribute(\.genre)),
                figures: .sum(\.seats))
            return (byDirector.map { "\($0.key ?? "") \($0.figures.0)" }, byMonth)
        }
        #expect(directors == ["Agnès Varda 2", "Jacques Tati 1"])
        #expect(months.map(\.key.0.description) == ["2023-11-01"])
        #expect(months.map(\.key.1) == [.drama])
        #expect(months.map(\.figures) == [80])
    }

    @Test("figures are of what is calculated for each row, and of several groups")
    func calculatedFigures() async throws {
        let store = try await cinema()
        let zone = try #require(TimeZone(identifier: "Europe/Paris"))
        let (sums, counts, running) = try await store.read { tx in
            let (income, small) = try tx.aggregate(
                Screening.all, .sum(#Expression { $0.seats * 12 }),
                .count(where: #Predicate { $0.seats < 100 }))
            let directors = try tx.fetch(
                Film.all,
                including: .figure(\.screenings, .maximum(#Expression { $0.film[\.year] })))
            let months = try tx.aggregate(
                Screening.all, by: .month(of: \.start, in: zone),
                figures: .sum(\.seats), .running(.sum(\.seats)), .overall(.sum(\.seats)))
            return ([income, small], directors.compactMap(\.1), months.map(\.figures.1))
        }
        #expect(sums == [960, 1])
        #expect(counts == [1962])
        #expect(running == [80])
    }

    @Test("rows are compared with other rows, and with a figure over all rows")
    func comparisons() async throws {
        let store = try await cinema()
        let (late, after) = try await store.read { tx in
            (
                try tx.fetch(Film.where(\.year, .greater, overall: .average(\.year))),
                try tx.fetch(Screening.where(#Predicate { $0.seats < $0.film[\.year] }))
            )
        }
        #expect(late.map(\.title) == ["The Gleaners and I"])
        #expect(after.count == 1)
    }

    @Test("rows are sorted by what is calculated for each, and chosen by figures over related rows")
    func orders() async throws {
        let store = try await cinema()
        let (rated, folded, unrated, latest, chosen) = try await store.read { tx in
            let (rated, folded, unrated, latest) =
                (
                    try tx.fetch(Film.sorted(by: \.rating, nils: .last)),
                    try tx.fetch(Film.sorted(by: #Expression { $0.title[\.folded] })),
                    try tx.fetch(Film.sorted(by: #Expression { $0.rating != nil }).sorted(by: \.year)),
                    try tx.fetch(Director.sorted(by: .figure(\.films, .maximum(\.year)), .descending))
                )
            let prolific = try tx.fetch(
                Director.where(.count(\.films) { $0.where(\.year, .greater, 1961) }, .greater, 1)
                    .sorted(by: .figure(\.films, .average(\.rating)), .descending))
            return (rated, folded, unrated, latest, prolific)
        }
        #expect(rated.last?.rating == nil)
        #expect(folded.map(\.year) == [1962, 1967, 2000])
        #expect(unrated.first?.rating == nil)
        #expect(latest.map(\.name) == ["Agnès Varda", "Jacques Tati"])
        #expect(chosen.map(\.name) == ["Agnès Varda"])
    }

    @Test("groups are chosen by their figures")
    func choice() async throws {
        let store = try await cinema()
        let (found, rated) = try await store.read { tx in
            let prolific = try tx.aggregate(
                Film.all, by: .over(\.director, .attribute(\.name)),
                figures: .count, .count(distinct: \.genre)
            ) {
                $0.having(.count, .greater, 1).sorted(by: .average(\.rating), .descending).limit(3)
            }
            let genres = try tx.fetch(Film.where(\.rating, .notEqual, nil), distinct: \.genre)
            return (prolific.map { [$0.figures.0, $0.figures.1] }, genres)
        }
        #expect(found == [[2, 2]])
        #expect(rated == [.comedy, .drama])
    }

    @Test("a condition is put together at run time", arguments: [nil, "Jacques Tati"], [true, false])
    func filters(name: String?, shown: Bool) async throws {
        let store = try await cinema()
        let words = ["time", "5 to 7"]
        let titles = try await store.read { tx in
            var filters: [Filter<Film>] = [.where(\.year, .greaterOrEqual, 1960)]
            if !words.isEmpty { filters.append(.any(words.map { .where(\.title, .contains, $0) })) }
            if let name { filters.append(.over(\.director, .where(\.name, .equal, name))) }
            if shown { filters.append(.has(\.screenings)) }
            let films = try tx.fetch(Film.matching(.all(filters)).sorted(by: \.year))
            #expect(try tx.fetch(Film.where(\.year, .greaterOrEqual, 1965)).count == 2)
            return films.map(\.title)
        }
        let shownByAnyone = shown ? ["Cléo from 5 to 7"] : ["Cléo from 5 to 7", "Playtime"]
        let byTati = shown ? [] : ["Playtime"]
        #expect(titles == (name == nil ? shownByAnyone : byTati))
    }

    @Test("rows come with what follows from the rows before and after")
    func windows() async throws {
        let store = try await cinema()
        let (sums, ranks) = try await store.read { tx in
            let evenings = try tx.fetch(
                Screening.sorted(by: \.start),
                including: .running(.sum(\.seats)), .running(.average(\.seats), last: 7),
                .previous(\.start, per: \.film))
            let charts = try tx.fetch(
                Film.sorted(by: \.rating, .descending).limit(10),
                including: .rank(), .rank(per: \.genre), .overall(.average(\.rating), per: \.genre))
            return (evenings.map(\.1), charts.map(\.1))
        }
        #expect(sums == [80])
        #expect(ranks == [1, 2, 3])
    }

    @Test("a query calculates with times")
    func times() async throws {
        let store = try await cinema()
        let now = Date.distantFuture
        let count = try await store.read { tx in
            let soon = try tx.fetch(Screening.where(#Predicate { $0.start - 3_600 < now }))
            return soon.count
        }
        #expect(count == 1)
    }

    @Test("a query can be in one database's own SQL")
    func ownSQL() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = "sqlite:" + directory.appending(path: "cinema.sqlite").path
        let registry = try PluginRegistry([SQLitePlugin.self])
        let store = try await cinema(in: registry.open(url: url, schema: CinemaSchema.self))
        let margin = 10.0
        let (titles, lengths) = try await store.read { tx in
            let films = try tx.fetch(
                sqliteOnly: """
                    SELECT \(columns: Film.self) FROM \(Film.self)
                    WHERE \(\Film.year) > (SELECT AVG(\(\Film.year)) FROM \(Film.self)) + \(margin)
                    """, as: Film.self)
            let counts = try tx.fetch(
                sqliteOnly: "SELECT \(\Film.title), length(\(\Film.title)) FROM \(Film.self)",
                as: String.self, Int.self)
            return (films.map(\.title), counts.allSatisfy { $0.0.count == $0.1 })
        }
        #expect(titles == ["The Gleaners and I"])
        #expect(lengths)
    }

    @Test("a query is explained, and has a budget")
    func cost() async throws {
        let store = try await cinema()
        let rows = try await store.read { tx in
            let plans = try tx.explain {
                try $0.fetch(Film.where(\.genre, .equal, .drama).sorted(by: \.year))
            }
            for plan in plans { print(plan) }
            return plans.map(\.rows)
        }
        #expect(rows == [1])
        let found = try await store.read(within: ReadBudget(rows: 10_000, time: .seconds(30))) { tx in
            try tx.fetch(Film.all, including: .all(\.screenings))
        }
        #expect(found.count == 3)
    }

    @Test("a page begins where the last one ended")
    func pages() async throws {
        let store = try await cinema()
        var titles: [String] = []
        let query = Film.sorted(by: \.title)
        var page = try await store.read { try $0.page(query, size: 2) }
        titles += page.items.map(\.title)
        while let next = page.next {
            page = try await store.read { try $0.page(query, size: 2, after: next) }
            titles += page.items.map(\.title)
        }
        #expect(titles == ["Cléo from 5 to 7", "Playtime", "The Gleaners and I"])
    }
}
