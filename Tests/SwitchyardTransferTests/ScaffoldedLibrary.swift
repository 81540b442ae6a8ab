// swift-format-ignore-file

import Foundation
import Switchyard
import SwitchyardTransfer

/// The models of a database, as its tables and values suggest them.
enum LibrarySchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Author.self, Book.self, BookTag.self, Shelf.self, Tag.self]

    @Model
    struct Author {
        #Unique<Author>([\.name])

        let id: ID
        var name: String
        var born: CalendarDay?
        var isActive: Bool = true
        var rank: Int = -1
        @Relationship(deleteRule: .cascade, inverse: \Book.author)
        var books: ToMany<Book>
        @Relationship(deleteRule: .nullify, inverse: \Book.editor)
        var books2: ToMany<Book>
    }

    @Model
    struct Book {
        let id: ID
        var author: Author.ID
        var editor: Author.ID?
        var shelfCode: Shelf.ID?
        var sequel: Book.ID?
        var title: String = ""
        var price: Decimal? = 9.5
        var addedAt: Date
        @Relationship(deleteRule: .cascade, inverse: \BookTag.book)
        var bookTags: ToMany<BookTag>
    }

    @Model
    struct BookTag {
        #Unique<BookTag>([\.book, \.tag])

        let id: ID
        var book: Book.ID
        var tag: Tag.ID
        var weight: Double?
    }

    @Model
    struct Shelf {
        #Unique<Shelf>([\.room, \.place])
        #Unique<Shelf>([\.code])

        let id: ID
        var code: String
        var title: String? = "it's new"
        var room: String?
        var place: Int?
        @Relationship(deleteRule: .deny, inverse: \Book.shelfCode)
        var books: ToMany<Book>
    }

    @Model
    struct Tag {
        let id: ID
        var name: String?
        @Relationship(deleteRule: .cascade, inverse: \BookTag.tag)
        var bookTags: ToMany<BookTag>
    }
}

/// What the tables and columns become.
func adoptionPlan() throws -> AdoptionPlan {
    try AdoptionPlan(
        LibrarySchema.self,
        .table("author", as: LibrarySchema.Author.self,
            .column("name", to: \.name),
            .column("born", to: \.born),
            .column("is_active", to: \.isActive),
            .column("rank", to: \.rank)),
        .table("book", as: LibrarySchema.Book.self,
            .reference("author_id", to: \.author),
            .reference("editor_id", to: \.editor),
            .reference("shelf_code", to: \.shelfCode),
            .reference("sequel_id", to: \.sequel),
            .column("title", to: \.title),
            .column("price", to: \.price),
            .column("added_at", to: \.addedAt)),
        .table("book_tag", as: LibrarySchema.BookTag.self,
            .reference("book_id", to: \.book),
            .reference("tag_id", to: \.tag),
            .column("weight", to: \.weight)),
        .table("shelf", as: LibrarySchema.Shelf.self,
            .column("code", to: \.code),
            .column("title", to: \.title),
            .column("room", to: \.room),
            .column("place", to: \.place)),
        .table("tag", as: LibrarySchema.Tag.self,
            .column("name", to: \.name)),
        .ignored("log"))
}
