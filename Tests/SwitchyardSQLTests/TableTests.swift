import SwitchyardCore
import SwitchyardSQL
import Testing

@Suite("DDL in both dialects")
struct TableTests {
    @Test("SQLite's CREATE TABLE is printed")
    func sqliteTable() throws {
        #expect(
            try Fixture.sqlite().createTable("Pet") == """
                CREATE TABLE "Pet" (
                    "id" BLOB NOT NULL CONSTRAINT "check_Pet_id" CHECK (length("id") = 16),
                    "owner" BLOB CONSTRAINT "check_Pet_owner" CHECK (length("owner") = 16),
                    "kind" TEXT NOT NULL CONSTRAINT "check_Pet_kind" CHECK \
                (CASE "kind" WHEN 'cat' THEN 1 WHEN 'dog' THEN 1 ELSE "kind" IS NULL END),
                    "kg" REAL,
                    "age" INTEGER NOT NULL,
                    "legs" INTEGER,
                    "price" TEXT COLLATE "switchyard_decimal",
                    "born" INTEGER CONSTRAINT "check_Pet_born" CHECK \
                ("born" BETWEEN -62135596800000000 AND 253402300799999999),
                    "tame" INTEGER NOT NULL CONSTRAINT "check_Pet_tame" CHECK ("tame" IN (0, 1)),
                    CONSTRAINT "primary_Pet" PRIMARY KEY ("id"),
                    CONSTRAINT "reference_Pet_owner" FOREIGN KEY ("owner") REFERENCES "Owner" ("id") \
                DEFERRABLE INITIALLY DEFERRED
                ) STRICT, WITHOUT ROWID
                """)
    }

    @Test("PostgreSQL's CREATE TABLE is printed without foreign keys, which come later")
    func postgresTable() throws {
        let generator = try Fixture.postgres()
        #expect(
            try generator.createTable("Owner") == """
                CREATE TABLE "app"."Owner" (
                    "id" uuid NOT NULL,
                    "name" text COLLATE "C" NOT NULL,
                    "name_search" text COLLATE "C" NOT NULL,
                    CONSTRAINT "primary_Owner" PRIMARY KEY ("id")
                )
                """)
        #expect(
            try generator.createStore().contains(
                "ALTER TABLE \"app\".\"Pet\" ADD CONSTRAINT \"reference_Pet_owner\" FOREIGN KEY (\"owner\") "
                    + "REFERENCES \"app\".\"Owner\" (\"id\") DEFERRABLE INITIALLY DEFERRED"))
        #expect(
            try generator.createTable("Pet").contains(
                "\"kg\" double precision CONSTRAINT \"check_Pet_weight\" CHECK (\"kg\" <> 'NaN'::double precision)"
            ))
    }

    @Test(
        "SQLite's indexes are printed: last constraint first, a second one for equal nils, literal filters, references"
    )
    func sqliteIndexes() throws {
        #expect(
            try Fixture.sqlite().indexes(of: Fixture.pet) == [
                "CREATE UNIQUE INDEX \"unique_Pet_born_fbe00a15ae\" ON \"Pet\" (\"born\") WHERE \"legs\" IS NOT NULL",
                "CREATE UNIQUE INDEX \"unique_Pet_kind_price_ad11e1372b\" ON \"Pet\" "
                    + "(\"kind\", \"price\")",
                "CREATE UNIQUE INDEX \"unique_Pet_kind_price_1a5df2163f\" ON \"Pet\" "
                    + "(\"kind\", (\"price\" IS NULL), ifnull(\"price\", 0) COLLATE \"switchyard_decimal\") "
                    + "WHERE \"price\" IS NULL",
                "CREATE INDEX \"index_Pet_born_age\" ON \"Pet\" (\"born\", \"age\")",
                "CREATE INDEX \"index_Pet_age_041fb8638c\" ON \"Pet\" (\"age\") WHERE \"tame\" = 1",
                "CREATE INDEX \"reference_Pet_owner\" ON \"Pet\" (\"owner\")",
            ])
    }

    @Test("PostgreSQL's indexes are printed: NULLS NOT DISTINCT, nil before all values, the id last")
    func postgresIndexes() throws {
        #expect(
            try Fixture.postgres().indexes(of: Fixture.pet) == [
                "CREATE UNIQUE INDEX \"unique_Pet_kind_price_ad11e1372b\" ON \"app\".\"Pet\" "
                    + "(\"kind\", \"price\" NULLS FIRST) NULLS NOT DISTINCT",
                "CREATE UNIQUE INDEX \"unique_Pet_born_fbe00a15ae\" ON \"app\".\"Pet\" "
                    + "(\"born\" NULLS FIRST) WHERE \"legs\" IS NOT NULL",
                "CREATE INDEX \"index_Pet_born_age\" ON \"app\".\"Pet\" (\"born\" NULLS FIRST, \"age\", \"id\")",
                "CREATE INDEX \"index_Pet_age_041fb8638c\" ON \"app\".\"Pet\" (\"age\", \"id\") WHERE \"tame\" = TRUE",
                "CREATE INDEX \"reference_Pet_owner\" ON \"app\".\"Pet\" (\"owner\" NULLS FIRST, \"id\")",
            ])
    }

    @Test("an index over searchable text has a second one over the folded copies in DDL")
    func foldedIndexes() throws {
        let entity = Entity(
            "Book",
            attributes: [
                Attribute("id", type: .uuid), Attribute("shelf", type: .int),
                Attribute("title", type: .text, isOptional: true, isSearchable: true),
            ], indexes: [Index(["shelf", "title"])])
        let schema = try Schema(version: SchemaVersion(1), entities: [entity])
        #expect(
            try SQLGenerator(dialect: .sqlite, schema: schema).indexes(of: entity) == [
                "CREATE INDEX \"index_Book_shelf_title\" ON \"Book\" (\"shelf\", \"title\")",
                "CREATE INDEX \"index_Book_shelf_title_54803a8de7\" ON \"Book\" (\"shelf\", \"title_search\")",
            ])
        #expect(
            try SQLGenerator(dialect: .postgres, schema: schema).indexes(of: entity) == [
                "CREATE INDEX \"index_Book_shelf_title\" ON \"Book\" (\"shelf\", \"title\" NULLS FIRST, \"id\")",
                "CREATE INDEX \"index_Book_shelf_title_54803a8de7\" ON \"Book\" "
                    + "(\"shelf\", \"title_search\" NULLS FIRST, \"id\")",
            ])
    }

    @Test("numbers narrower than their column get a check")
    func narrowNumbers() throws {
        let entity = Entity(
            "Odd",
            attributes: [
                Attribute("id", type: .uuid),
                Attribute("small", type: .int, domain: .integers(range: -128...127)),
                Attribute("ratio", column: "r", type: .double, isOptional: true, domain: .singlePrecision),
            ])
        let schema = try Schema(version: SchemaVersion(1), entities: [entity])
        let sqlite = try SQLGenerator(dialect: .sqlite, schema: schema).createTable("Odd")
        #expect(
            sqlite.contains(
                "\"small\" INTEGER NOT NULL CONSTRAINT \"check_Odd_small\" CHECK (\"small\" BETWEEN -128 AND 127)"
            ))
        #expect(sqlite.contains("\"r\" REAL CONSTRAINT \"check_Odd_ratio\" CHECK (CASE WHEN abs(\"r\") > "))
        let postgres = try SQLGenerator(dialect: .postgres, schema: schema).createTable("Odd")
        #expect(postgres.contains("CHECK (\"small\" BETWEEN '-128'::bigint AND '127'::bigint)"))
        #expect(
            postgres.contains(
                "CHECK (\"r\" <> 'NaN'::double precision AND CASE WHEN abs(\"r\") > 3.4028235e38 "
                    + "THEN abs(\"r\") = 'Infinity'::double precision WHEN abs(\"r\") < 1.4e-45 THEN \"r\" = 0 "
                    + "ELSE \"r\" = \"r\"::real END)"))
    }

    @Test("SQL literals are quoted")
    func literals() throws {
        let entity = Entity(
            "Odd",
            attributes: [
                Attribute("id", type: .uuid),
                Attribute("word", type: .text, cases: [.text("it's"), .text("\"; DROP TABLE x")]),
                Attribute("number", type: .int, cases: [.int(.min), .int(7)]),
            ])
        let schema = try Schema(version: SchemaVersion(1), entities: [entity])
        let sqlite = try SQLGenerator(dialect: .sqlite, schema: schema).createTable("Odd")
        #expect(
            sqlite.contains(
                #"CHECK (CASE "word" WHEN 'it''s' THEN 1 WHEN '"; DROP TABLE x' THEN 1 ELSE "word" IS NULL END)"#
            ))
        #expect(
            sqlite.contains(
                #"CHECK (CASE "number" WHEN (-9223372036854775807 - 1) THEN 1 WHEN 7 THEN 1 ELSE "number" IS NULL END)"#
            ))
        let postgres = try SQLGenerator(dialect: .postgres, schema: schema).createTable("Odd")
        #expect(postgres.contains("CHECK (\"number\" IN ('-9223372036854775808'::bigint, '7'::bigint))"))
    }

    @Test(
        "a quotation mark ends no SQL literal, whatever scalar follows it",
        arguments: ["'\u{301}", "'\u{20E3}", "'"])
    func literals(mark: String) throws {
        let kind = Attribute("kind", type: .text, cases: [.text("a\(mark)) --")])
        let schema = try Schema(
            version: SchemaVersion(1),
            entities: [Entity("Pet", attributes: [Attribute("id", type: .uuid), kind])])
        for (dialect, operation) in [(SQLDialect.sqlite, "WHEN "), (.postgres, "IN (")] {
            let text = try SQLGenerator(dialect: dialect, schema: schema).createTable("Pet")
            let literal = "\(operation)'a'\(mark)) --'"
            #expect(text.utf8.firstRange(of: literal.utf8) != nil, "\(text)")
        }
    }
}
