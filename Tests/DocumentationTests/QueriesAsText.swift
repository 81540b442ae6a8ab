import Switchyard
import SwitchyardQuery
import Testing

@Suite("The article on queries as text")
struct QueriesAsText {
    @Test("a text is read against the schema of a store, and answered")
    func answered() async throws {
        let store = try await cinema()
        let query = try StoredQuery(
            parsing: "Film where director.name = 'Agnès Varda' sort year desc show title, year",
            schema: store.schema)
        let answer = try await store.read { tx in try tx.answer(query) }
        #expect(
            answer.json == """
                [
                  {"title": "The Gleaners and I", "year": 2000},
                  {"title": "Cléo from 5 to 7", "year": 1962}
                ]
                """)
    }

    @Test("a text from others is bounded")
    func bounded() async throws {
        let store = try await cinema()
        let text = "Director sort name include films"
        var query = try StoredQuery(parsing: text, schema: store.schema)
        query.limit = min(query.limit ?? 100, 100)
        let answer = try await store.read { [query] tx in try tx.answer(query, atMost: 1_000) }
        #expect(answer.rows.count == 2)
    }
}
