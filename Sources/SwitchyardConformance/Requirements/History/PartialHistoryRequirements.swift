internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// Histories that leave something out, because the models say so.
enum PartialHistoryRequirements {
    static let all: [Requirement] = [
        Requirement("H9", "the history leaves out what the models leave out, and undo does not guess it") {
            contract in
            try await attributes(contract)
            try await models(contract)
            try await undone(contract)
            try await deleted(contract)
            try await later(contract)
        },
        Requirement(
            "H10", "of two openings, each leaves out of the history what its own models leave out",
            needs: .durability
        ) { contract in
            try await differing(contract)
        },
    ]

    /// A new store that keeps a history.
    private static func makeStore(_ contract: Contract) async throws -> any Store {
        let store = try await contract.makeStore(try PhotoSchema.schema)
        try await store.keepHistory()
        return store
    }

    private static func history(_ store: any Store) async throws -> [HistoryTransaction] {
        try await store.read { try $0.history() }
    }

    private static func last(_ store: any Store) async throws -> HistoryTransaction? {
        try await history(store).last
    }

    /// The changes of the last transaction, after a number of them.
    private static func changes(
        _ contract: Contract, _ store: any Store, after count: Int, _ what: String
    ) async throws -> [HistoryChange] {
        let all = try await history(store)
        try contract.expectEqual(all.count, count, "the number of transactions after \(what)")
        return try all.last?.changes.all() ?? []
    }

    private static func attributes(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        var album = Album(title: "A", views: 1, rank: 7)
        func update(_ change: (inout Album) -> Void) async throws {
            change(&album)
            try await store.write { [album] in try $0.update(album) }
        }
        try await store.write { [album] in _ = try $0.insert(album) }
        try await update { ($0.views, $0.note, $0.rank) = (2, "seen", 8) }
        try await store.write { _ = try $0.update(Album.all, set: [.set(\.views, to: 3)]) }
        try await store.write {
            _ = try $0.upsert([Album(title: "A", views: 4, rank: 9)], on: \.title)
        }
        let insert = try await changes(contract, store, after: 1, "updates of what is left out")
        try contract.expectEqual(insert.map(\.kind), [.insert], "the only change")
        try await update { ($0.title, $0.views) = ("B", 5) }
        var change = try await changes(contract, store, after: 2, "an update of two attributes").first
        try contract.expectEqual(change?.attributes, ["title"], "the one that is not left out")
        try contract.expectEqual(change?.before(\Album.title), "A", "its value before")
        try contract.expectEqual(change?.before("views"), nil, "the other one's value before")
        try await update { $0.cover = Data([1]) }
        change = try await changes(contract, store, after: 3, "an update of nil without earlier values").first
        try contract.expectEqual(change?.attributes, ["cover"], "the attribute that was nil")
        try contract.expectEqual(change?.before("cover"), .null, "the nil before")
        try await update { $0.cover = Data([1]) }
        try await update { $0.cover = Data([2]) }
        change = try await changes(contract, store, after: 4, "an update without earlier values").first
        try contract.expectEqual(change?.attributes, ["cover"], "the attribute that was updated")
        try contract.expectEqual(change?.before("cover"), nil, "its value before")
        try await store.write { tx in
            try tx.update(Album.all, set: [.set(\.cover, to: Data([3]))])
            try tx.update(Album.all, set: [.set(\.cover, to: Data([2]))])
            try tx.update(Album.all, set: [.set(\.views, to: #Expression { $0.views + 1 })])
        }
        _ = try await changes(contract, store, after: 4, "a change there and back")
        try await store.write { [album] in _ = try $0.delete(album) }
        change = try await changes(contract, store, after: 5, "a delete").first
        try contract.expectEqual(
            change?.attributes, ["id", "title", "cover"], "the attributes of a deleted row")
        try contract.expectEqual(change?.before("title"), .text("B"), "a value before a delete")
        try contract.expectEqual(change?.before("cover"), nil, "one without earlier values")
    }

    private static func models(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let album = Album(title: "A", rank: 1)
        let thumbnails = (1...3).map { Thumbnail(album: album.id, size: $0) }
        var following = store.changes(includingOthers: false).makeAsyncIterator()
        try await store.write { try $0.insert(contentsOf: thumbnails.map { Thumbnail(size: $0.size) }) }
        try await store.write { _ = try $0.update(Thumbnail.all, set: [.set(\.size, to: 9)]) }
        try await store.write { _ = try $0.delete(Thumbnail.all) }
        try contract.expectEqual(
            try await following.next()?.entities, ["Thumbnail"], "what a follower of the store is told")
        try await store.write { tx in
            try tx.insert(album)
            try tx.insert(contentsOf: thumbnails)
        }
        try await store.write { _ = try $0.delete(album) }
        try contract.expectEqual(
            try await store.read { try $0.count(Thumbnail.all) }, 0, "the rows after a delete that cascades")
        let all = try await history(store)
        try contract.expectEqual(all.map(\.entities), [["Album"], ["Album"]], "the entities of the history")
        try contract.expectEqual(all.map(\.changes.count), [1, 1], "the numbers of its changes")
    }

    private static func rows(_ store: any Store) async throws -> [[StoredValue]] {
        try await store.read { tx in
            try tx.schema.entities.flatMap { try tx.fetchRows(of: $0.name) }
        }
    }

    /// Expects that the last transaction cannot be undone for want of a value, and that nothing is changed.
    private static func expectNotKept(
        _ contract: Contract, _ store: any Store, _ entity: String, _ attribute: String, _ what: String
    ) async throws {
        let before = try await rows(store)
        let transaction = try contract.require(try await last(store), "the transaction of \(what)")
        let error = try await contract.expectError(.earlierValueNotKept, "the undo of \(what)") {
            try await store.undo(transaction)
        }
        try contract.expectEqual(
            [error.entity, error.attribute], [entity, attribute], "what the undo of \(what) lacks")
        try contract.expectEqual(try await rows(store), before, "the rows after the undo of \(what)")
    }

    private static func undoLast(_ contract: Contract, _ store: any Store) async throws {
        try await store.undo(try contract.require(try await last(store), "a transaction to undo"))
    }

    private static func albums(_ store: any Store) async throws -> [Album] {
        try await store.read { try $0.fetch(Album.sorted(by: \.title)) }
    }

    /// An undo leaves attributes without history unchanged, and invents no value that the history lacks.
    private static func undone(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let inserted = (10...40).map { Album(title: "\($0)", cover: Data([UInt8($0)]), rank: $0) }
        try await store.write { _ = try $0.insert(contentsOf: inserted) }
        try await store.write { tx in
            for album in inserted {
                var album = album
                (album.title, album.views) = ("new " + album.title, 5)
                try tx.update(album)
            }
        }
        try await store.write { _ = try $0.update(Album.all, set: [.set(\.note, to: "seen")]) }
        try await undoLast(contract, store)
        let expected = inserted.map { album in
            var album = album
            (album.views, album.note) = (5, "seen")
            return album
        }
        try contract.expectEqual(try await albums(store), expected, "the rows after an update was undone")
        try await store.write { _ = try $0.update(Album.all, set: [.set(\.cover, to: Data([9]))]) }
        try await expectNotKept(contract, store, "Album", "cover", "an update without earlier values")
        try await store.write { tx in
            try tx.insert(Album(title: "no cover", rank: 1))
        }
        let bare = Album.where(#Predicate { $0.title == "no cover" })
        try await store.write { _ = try $0.update(bare, set: [.set(\.cover, to: Data([1]))]) }
        try await undoLast(contract, store)
        let found = try await store.read { try $0.fetch(bare).map(\.cover) }
        try contract.expectEqual(found, [nil], "a value that was nil before, after the undo")
        try await expectNotKept(contract, store, "Album", "cover", "an undo that took a value away")
    }

    private static func deleted(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let album = Album(title: "A", views: 5, note: "seen", rank: 5)
        try await store.write { try $0.insert(album) }
        try await store.write { _ = try $0.update(Album.all, set: [.set(\.views, to: 6)]) }
        try await undoLast(contract, store)
        try contract.expectEqual(
            try await albums(store), [], "the rows after an insert was undone that was updated since")
        try await undoLast(contract, store)
        try contract.expectEqual(
            try await albums(store), [Album(id: album.id, title: "A", views: 0, note: nil, rank: 3)],
            "a row that came back, with defaults for what is left out")
        try await store.write { _ = try $0.update(Album.all, set: [.set(\.cover, to: Data([1]))]) }
        try await store.write { _ = try $0.delete(Album.all) }
        try await expectNotKept(contract, store, "Album", "cover", "a delete of a value that is not kept")
        let visit = Visit(moment: Date(timeIntervalSince1970: 1))
        try await store.write { try $0.insert(visit) }
        try await store.write { try $0.delete(visit) }
        try await expectNotKept(contract, store, "Visit", "moment", "a delete of a value without a default")
    }

    /// What came later is in the way, even if the history does not keep what it was.
    private static func later(_ contract: Contract) async throws {
        let store = try await makeStore(contract)
        let album = Album(title: "A", rank: 1)
        try await store.write { try $0.insert(album) }
        for byte in [1, 2] as [UInt8] {
            try await store.write { _ = try $0.update(Album.all, set: [.set(\.cover, to: Data([byte]))]) }
        }
        let all = try await history(store)
        try contract.expectEqual(all.count, 3, "the number of transactions")
        let before = try await rows(store)
        for transaction in all.prefix(2) {
            let error = try await contract.expectError(.undoConflict, "the undo of what was changed since") {
                try await store.undo(transaction)
            }
            try contract.expectEqual(
                [error.attribute, error.transaction?.uuidString], ["cover", all[2].id.uuidString],
                "what is in the way")
        }
        try contract.expectEqual(try await rows(store), before, "the rows after undos that were refused")
        try await store.write { tx in
            let other = Album(title: "B", rank: 1)
            try tx.insert(other)
            try tx.insert(Thumbnail(album: other.id, size: 1))
        }
        let insert = try contract.require(try await last(store), "an insert")
        let error = try await contract.expectError(.undoConflict, "the undo of what a row refers to") {
            try await store.undo(insert)
        }
        try contract.expectEqual(error.entity, "Thumbnail", "the entity of the row that refers to it")
        try await store.write { _ = try $0.delete(Thumbnail.all) }
        try await store.undo(insert)
        try contract.expectEqual(try await albums(store).map(\.title), ["A"], "the rows without it")
    }

    private static func differing(_ contract: Contract) async throws {
        let schema = try PhotoSchema.schema
        let whole = try Schema(
            version: schema.version,
            entities: schema.entities.map { entity in
                let attributes = entity.attributes.map { attribute in
                    var attribute = attribute
                    attribute.history = .whole
                    return attribute
                }
                return Entity(
                    entity.name, attributes: attributes, relationships: entity.relationships,
                    indexes: entity.indexes, uniqueConstraints: entity.uniqueConstraints)
            })
        let store = try await makeStore(contract)
        let other = try await contract.reopen(store, whole)
        let album = Album(title: "A", views: 1, cover: Data([1]), rank: 1)
        try await store.write { try $0.insert(album) }
        let thumbnail: [StoredValue] = [.uuid(UUID()), .null, .int(1)]
        for (writer, views) in [(store, 2), (other, 3)] {
            try await writer.write { tx in
                let assignments = [("views", .int(Int64(views))), ("cover", .blob(Data([UInt8(views)])))].map
                {
                    Assignment(attribute: $0, value: .value($1))
                }
                try tx.updateRows(of: "Album", set: assignments, where: .constant(true))
            }
            try await writer.write { tx in
                try tx.insertRows(into: "Thumbnail", [thumbnail])
            }
            try await writer.write { _ = try $0.deleteRows(of: "Thumbnail", where: .constant(true)) }
        }
        for reader in [store, other] {
            let changes = try await history(reader).flatMap { try $0.changes.all() }
            try contract.expectEqual(
                changes.map { "\($0.kind) \($0.entity) \($0.attributes.joined(separator: " "))" },
                [
                    "insert Album ", "update Album cover", "update Album views cover", "insert Thumbnail ",
                    "delete Thumbnail id album size",
                ], "the changes of two openings")
            try contract.expectEqual(
                changes.map { $0.before("cover") }, [nil, nil, .blob(Data([2])), nil, nil],
                "the values before that they have kept")
            try contract.expectEqual(try await reader.check(), [], "the faults of the store")
        }
        let last = try await history(store)[2]
        try await store.undo(last)
        let found = try await albums(store)
        try contract.expectEqual(found.map(\.cover), [Data([2])], "a value that the other opening has kept")
        try contract.expectEqual(found.map(\.views), [2], "another one")
        try await undoneUntold(contract, store, other)
        try await other.close()
    }

    /// The undo of a transaction by an opening whose models leave out all of its changes.
    private static func undoneUntold(
        _ contract: Contract, _ store: any Store, _ other: any Store
    ) async throws {
        try await store.write { _ = try $0.update(Album.all, set: [.set(\.title, to: "B")]) }
        let title = try contract.require(try await last(store), "an update that both tell")
        try await other.write { tx in
            let assignment = Assignment(attribute: "views", value: .value(.int(7)))
            try tx.updateRows(of: "Album", set: [assignment], where: .constant(true))
        }
        let views = try contract.require(try await last(store), "an update that one leaves out")
        let first = try await store.undoLast()
        try contract.expectEqual(first?.id, views.id, "what is undone first")
        let undo = try contract.require(try await last(store), "its undo")
        try contract.expectEqual(undo.undone, views.id, "what it has undone")
        try contract.expectEqual(undo.changes.count, 0, "the changes that it tells")
        for opening in [store, other] {
            try await contract.expectError(.earlierValueNotKept, "the undo of an undo that tells no changes")
            {
                try await opening.undo(undo)
            }
        }
        let second = try await store.undoLast()
        try contract.expectEqual(second?.id, title.id, "what is undone next")
        let found = try await albums(store)
        try contract.expectEqual(found.map(\.views), [2], "a value that is left out, after the undo")
        try contract.expectEqual(found.map(\.title), ["A"], "one that is not")
        try contract.expectEqual(try await other.check(), [], "the faults of the store after both undos")
    }
}

/// Models with attributes that the history leaves out.
private enum PhotoSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Album.self, Thumbnail.self, Visit.self]
}

/// Some attributes that are left out of the history, and one whose earlier values are.
@Model
private struct Album: Equatable {
    #Unique<Album>([\.title])

    let id: ID
    var title: String = ""
    @Attribute(.withoutHistory)
    var views: Int = 0
    @Attribute(.withoutHistory)
    var note: String?
    @Attribute(.withoutEarlierValues)
    var cover: Data?
    @Attribute(.withoutHistory)
    var rank: Int = 3
    @Relationship(deleteRule: .cascade, inverse: \Thumbnail.album)
    var thumbnails: ToMany<Thumbnail>
}

/// Rows that are left out of the history.
@Model(.withoutHistory)
private struct Thumbnail {
    let id: ID
    var album: Album.ID?
    var size: Int = 0
}

/// A required attribute that is left out of the history and has no default.
@Model
private struct Visit {
    let id: ID
    @Attribute(.withoutHistory)
    var moment: Date
}
