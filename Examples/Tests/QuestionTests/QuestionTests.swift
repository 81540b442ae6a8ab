import Switchyard
import SwitchyardCore
import TestBackends
import Testing

/// Classic questions to two sample databases, each one query, with one answer on every backend.
///
/// `README.md` beside this file names those that cannot be asked yet, and what is missing.
@Suite("Classic questions")
struct QuestionTests {
    @Test("each question to Chinook has its answer", arguments: TestBackend.available)
    func chinook(_ backend: TestBackend) async throws {
        try await backend.withStore(Schema(version: Chinook.version, models: Chinook.models)) { store in
            try await store.write { try Chinook.fill($0) }
            try await verify(Chinook.questions, in: store)
        }
    }

    @Test("each question to Sakila has its answer", arguments: TestBackend.available)
    func sakila(_ backend: TestBackend) async throws {
        try await backend.withStore(Schema(version: Sakila.version, models: Sakila.models)) { store in
            try await store.write { try Sakila.fill($0) }
            try await verify(Sakila.questions, in: store)
        }
    }

    private func verify(_ questions: [Question], in store: any Store) async throws {
        for question in questions {
            let answer = try await store.read(question.ask)
            #expect(answer == question.expected, "\(question.text)")
        }
    }
}
