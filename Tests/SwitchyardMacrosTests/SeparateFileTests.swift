import Testing

/// The compiler is given some of a module's files at a time, and sees of the others what it looks up.
@Suite(
    "Models in files of their own",
    .enabled(if: TypeCheck.isPossible, "needs swiftc and the built modules beside the test program"))
struct SeparateFileTests {
    private static let film = """
        @Model
        public struct Film {
            public let id: ID
            public var title: String
            public var director: Director.ID?
        }
        """
    private static let director = """
        @Model
        public struct Director {
            public let id: ID
            public var name: String
            @Relationship(inverse: \\Film.director) public var films: ToMany<Film>
        }
        """
    // The id is looked up before the stored properties are found to be sendable.
    private static let page = """
        public struct Page: Identifiable, Sendable {
            public var id: Film.ID { film.id }
            public let film: Film
            public let director: Director?
        }
        public enum Selection: Sendable {
            case film(Film)
            case director(Director)
        }
        """

    @Test(
        "public models are Sendable and Codable to each file, whichever are compiled together",
        arguments: [
            [film, director, page], [film, page, director], [director, film, page],
            [director, page, film], [page, film, director], [page, director, film],
        ], [1, 2])
    func sendable(files: [String], batchSize: Int) throws {
        let check = try TypeCheck(files: files, batchSize: batchSize)
        #expect(check.succeeded, "\(check.output)")
    }

    @Test("a model that is Codable in a file of its own gets no other conformance", arguments: [1, 2, 3])
    func codable(batchSize: Int) throws {
        let check = try TypeCheck(
            files: [
                "@Model public struct Tag { public let id: ID; public var name: String }",
                """
                extension Tag: Codable {
                    public init(from decoder: any Decoder) throws {
                        self.init(name: try decoder.singleValueContainer().decode(String.self))
                    }
                    public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
                }
                """,
                "func data(of tag: Tag) throws -> Data { try JSONEncoder().encode(tag) }",
            ], batchSize: batchSize)
        #expect(check.succeeded, "\(check.output)")
    }
}
