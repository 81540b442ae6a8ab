internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// A transaction that uses two versions of a model, each in a table of its own.
enum ViewRequirements {
    static let all: [Requirement] = [
        Requirement("T+view", "two versions of a model are read and written in one transaction") { contract in
            try await migration(contract)
            try await conditions(contract)
            try await rollback(contract)
            try await errors(contract)
            try await strangers(contract)
        }
    ]

    private struct Undo: Error {}

    /// Reads the first version's rows through one view, page by page, writes them as the second version's, and
    /// then deletes them.
    private static func migration(_ contract: Contract) async throws {
        let store = try await contract.makeStore(try schema)
        let ids = (0..<250).map { _ in OldNote.Note.ID() }
        try await store.write { tx in
            let old = try tx.view(of: try oldSchema)
            _ = try old.insert(contentsOf: ids.enumerated().map { OldNote.Note(id: $1, title: "note \($0)") })
        }
        let copied = try await store.write { tx in
            let old = try tx.view(of: try oldSchema)
            var copied = 0
            var cursor: PageCursor?
            repeat {
                let page = try old.page(OldNote.Note.sorted(by: \.title), size: 32, after: cursor)
                copied += try tx.insert(
                    contentsOf: page.items.map { note in
                        NewNote.Note(
                            id: NewNote.Note.ID(note.id.uuid), heading: note.title, length: note.title.count)
                    })
                cursor = page.next
            } while cursor != nil
            try old.delete(OldNote.Note.all)
            return copied
        }
        let (left, lengths) = try await store.read { tx in
            (
                try tx.view(of: try oldSchema).count(OldNote.Note.all),
                try tx.aggregate(NewNote.Note.all, .sum(\.length))
            )
        }
        try contract.expectEqual(
            [copied, left], [250, 0], "the rows copied, and those left in the old table")
        // Ten titles of 6 characters, ninety of 7 and a hundred and fifty of 8.
        try contract.expectEqual(lengths, 1_890, "the sum of the lengths that were worked out")
        let found = try await store.read { try $0.find(NewNote.Note.ID(ids[7].uuid))?.heading }
        try contract.expectEqual(found, "note 7", "a row under the id that it had")
    }

    /// Conditions, updates, upserts and relationships refer to the view's tables.
    private static func conditions(_ contract: Contract) async throws {
        let store = try await contract.makeStore(try schema)
        let (titles, heading, words) = try await store.write { tx in
            let old = try tx.view(of: try oldSchema)
            let first = try old.insert(OldNote.Note(title: "first"))
            let second = try old.insert(OldNote.Note(title: "second"))
            try old.insert(OldNote.Tag(note: second.id, word: "blue"))
            try tx.insert(NewNote.Note(id: NewNote.Note.ID(first.id.uuid), heading: "first, new", length: 10))
            _ = try old.update(
                OldNote.Note.where(#Predicate { $0.tags.contains { $0.word == "blue" } }),
                set: [.set(\.title, to: "changed")])
            try old.upsert(OldNote.Note(title: "first"), on: \.title)
            return (
                try old.fetch(OldNote.Note.sorted(by: \.title)).map(\.title),
                try tx.fetch(NewNote.Note.all).map(\.heading),
                try old.fetch(OldNote.Tag.all).map(\.word)
            )
        }
        try contract.expectEqual(titles, ["changed", "first"], "the rows of the first version")
        try contract.expectEqual(heading, ["first, new"], "the rows of the second version")
        try contract.expectEqual(words, ["blue"], "the rows that refer to the first version")
        try await store.write { tx in
            try tx.view(of: try oldSchema).delete(OldNote.Note.where(#Predicate { $0.title == "changed" }))
        }
        let tags = try await store.read { try $0.view(of: try oldSchema).count(OldNote.Tag.all) }
        try contract.expectEqual(tags, 0, "the rows that a delete through a view takes with it")
    }

    /// A savepoint in one view rolls back the work of both.
    private static func rollback(_ contract: Contract) async throws {
        let store = try await contract.makeStore(try schema)
        let counts = try await store.write { tx in
            let old = try tx.view(of: try oldSchema)
            for outer in [tx, old] {
                do {
                    try outer.nested {
                        try old.insert(OldNote.Note(title: "undone"))
                        try tx.insert(NewNote.Note(heading: "undone", length: 6))
                        throw Undo()
                    }
                } catch is Undo {}
            }
            return [try old.count(OldNote.Note.all), try tx.count(NewNote.Note.all)]
        }
        try contract.expectEqual(
            counts, [0, 0], "the rows of both versions after their savepoints were undone")
    }

    /// An error in one view ends the other too, and uses the view's names.
    private static func errors(_ contract: Contract) async throws {
        let store = try await contract.makeStore(try schema)
        let error = try await contract.expectError(.unique, "a second row with one title") {
            try await store.write { tx in
                let old = try tx.view(of: try oldSchema)
                _ = try old.insert(contentsOf: [OldNote.Note(title: "one"), OldNote.Note(title: "one")])
            }
        }
        try contract.expectEqual(
            [error.entity, error.attribute, error.constraint],
            ["Note", "title", "unique_Note_1_title_5cd8ad923c"],
            "what the error of a unique constraint names")
        try await contract.expectError(.transactionAborted, "a write after an error in a view of it") {
            try await store.write { tx in
                let old = try tx.view(of: try oldSchema)
                _ = try? old.insert(contentsOf: [OldNote.Note(title: "one"), OldNote.Note(title: "one")])
                try tx.insert(NewNote.Note(heading: "later", length: 5))
            }
        }
        try await contract.expectError(.foreignKey, "a reference to nothing through a view") {
            try await store.write { tx in
                try tx.view(of: try oldSchema).insert(OldNote.Tag(note: OldNote.Note.ID(), word: "lost"))
            }
        }
    }

    /// A view whose tables are not the store's is refused.
    private static func strangers(_ contract: Contract) async throws {
        let store = try await contract.makeStore(try schema)
        for table in ["Note", "Nowhere"] {
            try await contract.expectError(.schemaMismatch, "a view of the table \(table)") {
                try await store.read { tx in
                    let entity = try OldNote.Tag.entity.get().stored(in: table)
                    let note = try OldNote.Note.entity.get().stored(in: "Note_1")
                    _ = try tx.view(of: try Schema(version: SchemaVersion(1), entities: [entity, note]))
                }
            }
        }
    }

    /// The first version, as its models describe it.
    private static var oldSchema: Schema {
        get throws {
            try Schema(
                version: SchemaVersion(1),
                entities: [
                    try OldNote.Note.entity.get().stored(in: "Note_1"),
                    try OldNote.Tag.entity.get().stored(in: "Tag_1"),
                ])
        }
    }

    /// The second version, together with the tables of the first one under other names.
    private static var schema: Schema {
        get throws {
            let note = try OldNote.Note.entity.get()
            let tag = try OldNote.Tag.entity.get()
            return try Schema(
                version: SchemaVersion(2),
                entities: [
                    try NewNote.Note.entity.get(),
                    Entity(
                        "NoteBefore", attributes: note.attributes,
                        relationships: [
                            Relationship("tags", target: "TagBefore", inverse: "note", deleteRule: .cascade)
                        ], uniqueConstraints: note.uniqueConstraints, table: "Note_1"),
                    Entity(
                        "TagBefore",
                        attributes: [
                            tag.attributes[0],
                            Attribute("note", type: .uuid, isOptional: true, reference: "NoteBefore"),
                            tag.attributes[2],
                        ], table: "Tag_1"),
                ])
        }
    }
}

/// The first version.
enum OldNote {
    @Model
    struct Note {
        #Unique<Note>([\.title])

        let id: ID
        var title: String
        @Relationship(deleteRule: .cascade, inverse: \Tag.note)
        var tags: ToMany<Tag>
    }

    @Model
    struct Tag {
        let id: ID
        var note: Note.ID?
        var word: String
    }
}

/// The second version.
enum NewNote {
    @Model
    struct Note {
        let id: ID
        var heading: String
        var length: Int
    }
}
