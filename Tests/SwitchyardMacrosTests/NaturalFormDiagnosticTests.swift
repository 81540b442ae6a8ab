import Testing

@Suite(
    "First attempts of a newcomer",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct NaturalFormDiagnosticTests {
    /// Checks each statement in a function of its own.
    private func check(_ statements: [String]) throws -> [TypeCheck] {
        try TypeCheck.each(
            statements.enumerated().map { number, statement in
                """
                func ask\(number)(
                    tx: WriteTransaction, film: Film, inventory: Inventory, text: String
                ) throws {
                    \(statement)
                }
                """
            },
            beside: """
                enum Rating: String, CaseIterable, Codable { case general = "G" }
                @Model struct Film {
                    #Unique<Film>([\\.title])
                    let id: ID
                    var title: String
                    var subtitle: String?
                    var rating: Rating
                    var second: Rating?
                    @Attribute(.searchable) var plot: String?
                    @Attribute(.searchable) var place: String?
                    @Attribute(.searchable) var memo: String?
                    @Relationship(inverse: \\Inventory.film) var inventories: ToMany<Inventory>
                }
                @Model struct Inventory {
                    let id: ID
                    var film: Film.ID?
                }
                """)
    }

    @Test("a newcomer's form compiles if it makes sense")
    func natural() throws {
        let statements = [
            "_ = try tx.fetch(film.inventories)",
            "_ = try tx.fetch(film.inventories.sorted(by: \\.film))",
            "_ = try tx.count(film.inventories)",
            "_ = try tx.exists(film.inventories)",
            "try tx.delete(film)",
            "try tx.delete(film.inventories)",
            "let stored: Film = try tx.upsert(film, on: \\.title); _ = stored",
            "_ = Film.where(#Predicate { [\"G\"].contains($0.title) })",
            "_ = Film.where(#Predicate { [\"G\"].contains($0.subtitle) })",
            "_ = Film.where(#Predicate { [\"G\"].contains($0.rating.rawValue) })",
            "_ = Film.where(#Predicate { [\"G\"].contains($0.second!.rawValue) })",
            "let ratings = [Rating.general]; _ = Film.where(#Predicate { ratings.contains($0.rating) })",
            "_ = Inventory.where(#Predicate { $0.film[\\.title] == text })",
            "_ = Inventory.where(#Predicate { $0.film![\\.title].contains(text) && $0.film[\\.second] == nil })",
            "_ = Film.where(#Predicate { $0.inventories[\\.isEmpty] || $0.inventories[\\.count] > 3 })",
            "let ids = [film.id]; _ = Film.where(#Predicate { ids.contains($0.id) })",
            """
            _ = Film.matching(
                anyOf: #Predicate { $0.plot?.localizedStandardContains(text) == true },
                #Predicate { $0.place?.localizedStandardContains(text) == true },
                #Predicate { $0.memo?.localizedStandardContains(text) == true })
            """,
        ]
        for (statement, check) in zip(statements, try check(statements)) {
            #expect(check.succeeded, "\(statement): \(check.output)")
        }
    }

    @Test("a newcomer's form that does not compile says what to write")
    func explained() throws {
        let forms = [
            (
                "_ = Film.where(#Predicate { [\"G\"].contains($0.rating) })",
                "a raw value is no case of an enum"
            ),
            (
                "_ = Film.where(#Predicate { [\"G\"].contains($0.second) })",
                "a raw value is no case of an enum"
            ),
            (
                "_ = Film.where(#Predicate { [film.id].contains($0.id) })",
                "declare the list before the predicate"
            ),
            ("_ = try tx.fetch(Film.self)", "the query of all rows of a model is 'Film.all'"),
            ("_ = try tx.count(Film.self)", "the query of all rows of a model is 'Film.all'"),
            ("_ = try tx.delete(Film.self)", "the query of all rows of a model is 'Film.all'"),
            ("_ = try tx.insert([film])", "write 'insert(contentsOf:)'"),
            ("_ = try tx.update([film])", "update elements one by one"),
            ("_ = film.inventories.isEmpty", "ask 'tx.exists(film.inventories)' in a transaction"),
            ("_ = film.inventories.count", "ask 'tx.count(film.inventories)' in a transaction"),
            (
                "_ = Film.where(#Predicate { $0.inventories.isEmpty })",
                "'$0.inventories[\\.isEmpty]' in a #Predicate"
            ),
            (
                "_ = Inventory.where(#Predicate { $0.film?.title == text })",
                "in a #Predicate ask '$0.film[\\.title]'"
            ),
            ("_ = inventory.film?.title", "find the row with 'tx.find(film)'"),
            ("_ = inventory.film[\\.title]", "can throw but is not marked with 'try'"),
        ]
        for ((statement, message), check) in zip(forms, try check(forms.map(\.0))) {
            #expect(check.reports(message), "\(statement): \(check.output)")
        }
    }

    @Test("a mistake inside a predicate is reported at its place")
    func mistake() throws {
        let statements = [
            "_ = try tx.fetch(Film.where(#Predicate { $0.titel == text }))",
            "_ = try tx.delete(Film.where(#Predicate { $0.titel == text }))",
            "_ = try tx.fetch(Film.matching(anyOf: #Predicate { $0.titel == text }, #Predicate { $0.title == text }))",
        ]
        for (statement, check) in zip(statements, try check(statements)) {
            #expect(
                check.reports("value of type 'Film' has no member 'titel'"), "\(statement): \(check.output)")
        }
    }

    @Test("a unique attribute is declared as a constraint")
    func uniqueAttribute() throws {
        let check = try TypeCheck(
            """
            @Model struct Film {
                let id: ID
                @Attribute(.unique) var title: String
            }
            """)
        #expect(check.reports("declare a unique attribute as a constraint of the model"), "\(check.output)")
        #expect(!check.reports("write the option out as a case"))
    }
}
