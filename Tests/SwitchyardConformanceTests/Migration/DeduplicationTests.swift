import Foundation
import Switchyard
import SwitchyardCore
import Synchronization
import TestBackends
import Testing

private enum Log1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Kind.self, Entry.self]

    @Model
    struct Kind {
        let id: ID
        var name: String
        var code: Int?
        var createdAt: Int
        var parent: Kind.ID?
    }

    @Model
    struct Entry {
        let id: ID
        var kind: Kind.ID
        var amount: Int
    }
}

private enum Log2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Kind.self, Entry.self]

    @Model
    struct Kind {
        #Unique<Kind>([\.name], [\.code])

        let id: ID
        var name: String
        var code: Int?
        var createdAt: Int
        var parent: Kind.ID?
        var isOld: Bool = true
    }

    @Model
    struct Entry {
        let id: ID
        var kind: Kind.ID
        var amount: Int
    }
}

private enum Log3: VersionedSchema {
    static let version = SchemaVersion(3)
    static let models: [any Model.Type] = [Entry.self, Note.self]

    @Model
    struct Entry {
        let id: ID
        var amount: Int
    }

    @Model
    struct Note {
        let id: ID
    }
}

/// Links, and notes that hold more than a link.
private enum Blog1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Tag.self, Post.self, Link.self, Vote.self]

    @Model
    struct Tag {
        let id: ID
        var name: String
    }

    @Model
    struct Post {
        let id: ID
        var title: String
    }

    @Model
    struct Link {
        #Unique<Link>([\.post, \.tag])

        let id: ID
        var post: Post.ID
        var tag: Tag.ID
    }

    /// Refers to a link; each link has one vote.
    @Model
    struct Vote {
        #Unique<Vote>([\.link])

        let id: ID
        var link: Link.ID
    }
}

private enum Blog2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Tag.self, Post.self, Link.self, Vote.self]

    @Model
    struct Tag {
        #Unique<Tag>([\.name])

        let id: ID
        var name: String
    }

    @Model
    struct Post {
        let id: ID
        var title: String
    }

    @Model
    struct Link {
        #Unique<Link>([\.post, \.tag])

        let id: ID
        var post: Post.ID
        var tag: Tag.ID
    }

    @Model
    struct Vote {
        #Unique<Vote>([\.link])

        let id: ID
        var link: Link.ID
    }
}

/// A note of a tag holds more than a link does.
private enum Pad1: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Tag.self, Note.self]

    @Model
    struct Tag {
        let id: ID
        var name: String
    }

    @Model
    struct Note {
        #Unique<Note>([\.tag])

        let id: ID
        var tag: Tag.ID
        var text: String
    }
}

private enum Pad2: VersionedSchema {
    static let version = SchemaVersion(2)
    static let models: [any Model.Type] = [Tag.self, Note.self]

    @Model
    struct Tag {
        #Unique<Tag>([\.name])

        let id: ID
        var name: String
    }

    @Model
    struct Note {
        #Unique<Note>([\.tag])

        let id: ID
        var tag: Tag.ID
        var text: String
    }
}

@Suite("Stages that remove duplicates")
struct DeduplicationTests {
    private func plan(_ step: MigrationStep) throws -> MigrationPlan {
        try MigrationPlan(
            [Log1.self, Log2.self], [.lightweight(fromVersion: Log1.self, toVersion: Log2.self, step)])
    }

    /// Three kinds of each of 200 names, without codes, each with two entries; and one more whose code another has.
    private func fill(_ open: TestBackend.Opener, _ options: OpenOptions) async throws {
        try await open(try Log1.schema, options).closing { store in
            let scopes = options.scope.map { [$0, MigrationTests.beside] } ?? [nil]
            for scope in scopes {
                _ = try await store.write(WriteOptions(scope: scope)) { tx in
                    var last: Log1.Kind.ID?
                    for time in 0..<3 {
                        for number in 0..<200 {
                            let kind = Log1.Kind(
                                name: "Kind \(number)", createdAt: (time + number) % 3, parent: last)
                            last = kind.id
                            try tx.insert(kind)
                            try tx.insert(Log1.Entry(kind: kind.id, amount: number))
                            try tx.insert(Log1.Entry(kind: kind.id, amount: number))
                        }
                    }
                    try tx.insert(Log1.Kind(name: "Water", code: 7, createdAt: 1))
                    try tx.insert(Log1.Kind(name: "Aqua", code: 7, createdAt: 2))
                }
            }
        }
    }

    @Test("a deduplication keeps one row, and redirects references to it", arguments: MigrationTests.places)
    func keepsOne(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        for (step, time, water) in [
            (MigrationStep.deduplicate(Log2.Kind.self, keepingLeast: \Log2.Kind.createdAt), 0, "Water"),
            (.deduplicate(Log2.Kind.self, keepingGreatest: \Log2.Kind.createdAt), 2, "Aqua"),
        ] {
            try await backend.withPlace { open in
                let options = OpenOptions(scope: scope, keepsHistory: true)
                try await fill(open, options)
                let report = Mutex<MigrationReport?>(nil)
                let store = try await plan(step).open(
                    options,
                    status: { status in
                        if case .completed(let done) = status { report.withLock { $0 = done } }
                    }, open)
                try await store.closing { store in
                    let scopes = scope.map { [$0, MigrationTests.beside] } ?? [nil]
                    #expect(report.withLock { $0?.removedDuplicates } == ["Kind": 401 * scopes.count])
                    for scope in scopes {
                        let reading = scope.map { ReadOptions(scopes: [$0]) } ?? ReadOptions()
                        let (kinds, entries) = try await store.read(reading) { tx in
                            (try tx.fetch(Log2.Kind.all), try tx.fetch(Log2.Entry.all))
                        }
                        let names = (0..<200).map { "Kind \($0)" }
                        #expect(kinds.map(\.name).sorted() == (names + [water]).sorted())
                        #expect(kinds.allSatisfy { $0.name == water || $0.createdAt == time })
                        #expect(entries.count == 1_200)
                        let byID = Dictionary(uniqueKeysWithValues: kinds.map { ($0.id, $0.name) })
                        #expect(entries.allSatisfy { byID[$0.kind] == "Kind \($0.amount)" })
                    }
                    let faults = try await store.check()
                    #expect(faults == [])
                    let error = await #expect(throws: StoreError.self) {
                        try await store.write { try $0.insert(Log2.Kind(name: "Kind 5", createdAt: 0)) }
                    }
                    #expect(error?.code == .unique)
                }
                let marker = try await open(try Log2.schema, options).closing { try await $0.marker() }
                #expect(marker.schema == (try Log2.schema))
            }
        }
    }

    @Test(
        "a deduplication merges links that become equal, and those that refer to them",
        arguments: MigrationTests.places)
    func links(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope, keepsHistory: true)
            try await open(try Blog1.schema, options).closing { store in
                _ = try await store.write { tx in
                    let tags = ["tea", "tea", "cake"].map { Blog1.Tag(name: $0) }
                    let posts = (0..<300).map { Blog1.Post(title: "\($0)") }
                    try tx.insert(contentsOf: tags)
                    try tx.insert(contentsOf: posts)
                    for post in posts {
                        for tag in tags {
                            let link = Blog1.Link(post: post.id, tag: tag.id)
                            try tx.insert(link)
                            try tx.insert(Blog1.Vote(link: link.id))
                        }
                    }
                }
            }
            let plan = try MigrationPlan(
                [Blog1.self, Blog2.self],
                [
                    .lightweight(
                        fromVersion: Blog1.self, toVersion: Blog2.self,
                        .deduplicate(Blog2.Tag.self, keepingLeast: \Blog2.Tag.id))
                ])
            let preview = try await plan.preview(options, open)
            #expect(
                preview.stages[0].tables.map { "\($0.entity): \($0.changes.joined())" } == [
                    "Link: Rows of Link that become equal are merged.",
                    "Tag: Tag has a new unique constraint.",
                    "Vote: Rows of Vote that become equal are merged.",
                ])
            let report = Mutex<MigrationReport?>(nil)
            let store = try await plan.open(
                options,
                status: { status in
                    if case .completed(let done) = status { report.withLock { $0 = done } }
                }, open)
            try await store.closing { store in
                #expect(
                    report.withLock { $0?.removedDuplicates } == ["Tag": 1, "Link": 300, "Vote": 300])
                let (tags, links, votes) = try await store.read { tx in
                    (
                        try tx.fetch(Blog2.Tag.all), try tx.fetch(Blog2.Link.all),
                        try tx.fetch(Blog2.Vote.all)
                    )
                }
                #expect(tags.map(\.name).sorted() == ["cake", "tea"])
                #expect(links.count == 600)
                #expect(Set(links.map(\.tag)) == Set(tags.map(\.id)))
                #expect(Set(votes.map(\.link)) == Set(links.map(\.id)))
                let faults = try await store.check()
                #expect(faults == [])
                let link = links[0]
                let error = await #expect(throws: StoreError.self) {
                    try await store.write { try $0.insert(Blog2.Link(post: link.post, tag: link.tag)) }
                }
                #expect(error?.code == .unique)
            }
        }
    }

    @Test("a deduplication merges rows beyond links only if the stage says which stays")
    func notes() async throws {
        func plan(_ steps: MigrationStep...) throws -> MigrationPlan {
            try MigrationPlan(
                [Pad1.self, Pad2.self], [.lightweight(fromVersion: Pad1.self, toVersion: Pad2.self, steps)])
        }
        let tags = MigrationStep.deduplicate(Pad2.Tag.self, keepingLeast: \Pad2.Tag.id)
        let error = #expect(throws: StoreError.self) { try plan(tags) }
        #expect(error?.code == .schemaInvalid)
        #expect(
            error?.message.contains(
                "merges rows to which Note refers, so that rows of Note can have the same tag: say which of them stays"
            )
                == true, "\(error?.message ?? "")")
        let both = try plan(tags, .deduplicate(Pad2.Note.self, keepingGreatest: \Pad2.Note.text))
        try await TestBackend.sqlite.withPlace { open in
            try await open(try Pad1.schema, OpenOptions()).closing { store in
                try await store.write { tx in
                    for text in ["first", "second"] {
                        let tag = Pad1.Tag(name: "tea")
                        try tx.insert(tag)
                        try tx.insert(Pad1.Note(tag: tag.id, text: text))
                    }
                }
            }
            try await both.open(open).closing { store in
                let notes = try await store.read { try $0.fetch(Pad2.Note.all) }
                #expect(notes.map(\.text) == ["second"])
            }
        }
    }

    @Test(
        "a preview of a deduplication reports changes and rows, and changes nothing",
        arguments: TestBackend.available)
    func preview(_ backend: TestBackend) async throws {
        try await backend.withPlace { open in
            try await fill(open, OpenOptions())
            let plan = try MigrationPlan(
                [Log1.self, Log2.self, Log3.self],
                [
                    .lightweight(
                        fromVersion: Log1.self, toVersion: Log2.self, .refuseDuplicates(Log2.Kind.self)),
                    .custom(
                        fromVersion: Log2.self, toVersion: Log3.self, .rewrite(Log3.Entry.self),
                        .drop(Log2.Kind.self)
                    ) { _, _ in },
                ])
            let before = try await open(try Log1.schema, OpenOptions()).closing { try await $0.marker() }
            let preview = try await plan.preview(OpenOptions(), open)
            #expect(preview.version == SchemaVersion(1))
            #expect(preview.stages.map(\.to) == [SchemaVersion(2), SchemaVersion(3)])
            let lines = preview.stages.map { stage in
                stage.tables.map {
                    "\($0.entity) \($0.fate) \($0.rows ?? -1) \($0.changes.joined(separator: " "))"
                }
            }
            #expect(
                lines == [
                    [
                        "Kind changed 602 Kind.isOld is new. Kind has a new unique constraint. "
                            + "Kind has a new unique constraint."
                    ],
                    [
                        "Kind dropped 602 Kind is dropped.", "Entry rewritten 1200 Entry.kind is dropped.",
                        "Note created 0 Note is new.",
                    ],
                ])
            try await open(try Log1.schema, OpenOptions()).closing { store in
                let after = try await store.marker()
                #expect(after == before)
            }
        }
    }

    @Test("duplicates that are refused fail the stage", arguments: MigrationTests.places)
    func refuses(_ backend: TestBackend, _ scope: StoreScope?) async throws {
        try await backend.withPlace { open in
            let options = OpenOptions(scope: scope)
            try await fill(open, options)
            let plan = try plan(.refuseDuplicates(Log2.Kind.self))
            let error = await #expect(throws: StoreError.self) { try await plan.open(open, options) }
            #expect(error?.code == .unique)
            #expect(
                error?.description
                    == "unique: Several rows of Kind have the same name; the next version allows only one. "
                    + "Change or delete the others, or let the stage keep one of them by `.deduplicate`; "
                    + "nothing was changed. [Kind.name] [constraint unique_Kind_name]"
            )
            try await open(try Log1.schema, options).closing { store in
                let count = try await store.read { try $0.count(Log1.Kind.all) }
                #expect(count == 602)
                let faults = try await store.check()
                #expect(faults == [])
            }
        }
    }

    @Test("a deduplication without a new unique constraint is refused")
    func plans() throws {
        let error = #expect(throws: StoreError.self) {
            try MigrationPlan(
                [Log1.self, Log2.self],
                [
                    .lightweight(
                        fromVersion: Log1.self, toVersion: Log2.self, .refuseDuplicates(Log2.Kind.self),
                        .refuseDuplicates(Log2.Entry.self))
                ])
        }
        #expect(error?.message.contains("says something of Entry") == true)
    }
}
