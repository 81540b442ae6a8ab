import Switchyard
import SwitchyardCore
import TestBackends
import Testing

/// Questions to two classic sample databases and two apps, each one query, with one answer on every backend.
///
/// `README.md` beside this file names those that cannot be asked yet, and what is missing.
@Suite("Questions")
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

    @Test("each question to an app for reminders has its answer", arguments: TestBackend.available)
    func reminders(_ backend: TestBackend) async throws {
        try await backend.withStore(Schema(version: Reminders.version, models: Reminders.models)) { store in
            try await store.write { try Reminders.fill($0) }
            try await verify(Reminders.questions, Reminders.changes, in: store)
        }
    }

    @Test("each question to an app for accounts has its answer", arguments: TestBackend.available)
    func accounts(_ backend: TestBackend) async throws {
        try await backend.withStore(Schema(version: Accounts.version, models: Accounts.models)) { store in
            try await store.write { try Accounts.fill($0) }
            try await verify(Accounts.questions, Accounts.changes, in: store)
        }
    }

    private func verify(
        _ questions: [Question<ReadTransaction>], _ changes: [Question<WriteTransaction>] = [],
        in store: any Store
    ) async throws {
        for question in questions {
            let answer = try await store.read(question.ask)
            #expect(answer == question.expected, "\(question.text)")
        }
        for change in changes {
            let answer = try await store.write(change.ask)
            #expect(answer == change.expected, "\(change.text)")
        }
    }
}
