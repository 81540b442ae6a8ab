import SwitchyardCSV
import Testing

@Suite("Reading rows and fields")
struct CSVReaderTests {
    @Test("a CSV row ends with LF, CRLF, CR or the file, also mixed")
    func rowEnds() throws {
        try expect("a,b\nc,d\n", gives: [["a", "b"], ["c", "d"]])
        try expect("a,b\r\nc,d\r\n", gives: [["a", "b"], ["c", "d"]])
        try expect("a,b\rc,d\r", gives: [["a", "b"], ["c", "d"]])
        try expect("a\nb\r\nc\rd", gives: [["a"], ["b"], ["c"], ["d"]])
        try expect("a\r\n\nb", gives: [["a"], [""], ["b"]])
        try expect("a\r\n\rb", gives: [["a"], [""], ["b"]])
        try expect("a\r\r\nb\n\rc", gives: [["a"], [""], ["b"], [""], ["c"]])
    }

    @Test("an empty CSV file has no rows, and a final line end begins none")
    func noRows() throws {
        try expect("", gives: [])
        try expect("\u{FEFF}", gives: [])
        try expect("a", gives: [["a"]])
        try expect("a\r\n", gives: [["a"]])
    }

    @Test("an empty CSV line is a row of one empty field")
    func emptyLines() throws {
        try expect("\n", gives: [[""]])
        try expect("\r\n", gives: [[""]])
        try expect("a\n\nb\n\n", gives: [["a"], [""], ["b"], [""]])
        var reader = CSVReader(MemoryByteSource(Array("\n\"\"\n,\n ".utf8)))
        var areBlank: [Bool] = []
        while let row = try reader.next() { areBlank.append(row.isBlank) }
        #expect(areBlank == [true, false, false, false])
    }

    @Test("CSV rows may have different numbers of fields, and empty ones anywhere")
    func raggedRows() throws {
        try expect(
            "a,b,c\nd\ne,f\n,\n,,x\ny,",
            gives: [["a", "b", "c"], ["d"], ["e", "f"], ["", ""], ["", "", "x"], ["y", ""]])
    }

    @Test("a missing CSV field reads as empty and unquoted")
    func missingFields() throws {
        var reader = CSVReader(MemoryByteSource(Array("\"a\",b".utf8)))
        let row = try #require(try reader.next())
        #expect(row.count == 2)
        #expect(row.isQuoted(at: 0) && !row.isQuoted(at: 1))
        for index in [2, 4096, .max, -1, .min] {
            #expect(row.bytes(at: index).isEmpty)
            #expect(row.string(at: index) == "")
            #expect(row.trimmedBytes(at: index).isEmpty)
            #expect(!row.isQuoted(at: index))
        }
        #expect(try reader.next() == nil)
        #expect(try reader.next() == nil)
    }

    @Test("quoted CSV fields may contain commas, line ends and doubled quotes")
    func quotedFields() throws {
        try expect("\"a,b\",c", gives: [[.quoted("a,b"), "c"]])
        try expect("\"say \"\"hi\"\"\"", gives: [[.quoted("say \"hi\"")]])
        try expect("\"\"\"\"", gives: [[.quoted("\"")]])
        try expect("\"\"\"a\"\"b\"\"\",\"\"\"\"\"\"\n", gives: [[.quoted("\"a\"b\""), .quoted("\"\"")]])
        try expect("\"a\nb\r\nc\rd\",e\nf", gives: [[.quoted("a\nb\r\nc\rd"), "e"], ["f"]], lines: [1, 5])
        try expect("\"\"\r\n\"\",\"\"\r\n", gives: [[.quoted("")], [.quoted(""), .quoted("")]])
    }

    @Test("an empty quoted CSV field differs from an empty one")
    func emptyFields() throws {
        try expect(",\"\",", gives: [["", .quoted(""), ""]])
        try expect("\"\"", gives: [[.quoted("")]])
    }

    @Test("space belongs to its CSV field")
    func space() throws {
        try expect(" a , b\t\n", gives: [[" a ", " b\t"]])
    }

    @Test("a CSV row knows the physical line on which it begins")
    func lines() throws {
        try expect(
            "h\n\"1\n2\r\n3\"\n\nx\r\ny", gives: [["h"], [.quoted("1\n2\r\n3")], [""], ["x"], ["y"]],
            lines: [1, 2, 5, 6, 7])
        // A doubled quote between CR and LF makes them two line ends.
        try expect("\"\r\"\"\n\"\nx", gives: [[.quoted("\r\"\n")], ["x"]], lines: [1, 4])
        try expect("\"\r\r\n\n\"\nx", gives: [[.quoted("\r\r\n\n")], ["x"]], lines: [1, 5])
    }

    @Test("CSV text outside ASCII is kept byte for byte")
    func multibyte() throws {
        let text = "하나,é,e\u{301},👩‍👩‍👧\n\"두\"\"리\",\u{10FFFF}\u{FFFD}"
        try expect(text, gives: [["하나", "é", "e\u{301}", "👩‍👩‍👧"], [.quoted("두\"리"), "\u{10FFFF}\u{FFFD}"]])
    }

    @Test("CSV fields longer than a chunk, a block and the first buffer arrive whole")
    func longFields() throws {
        let long = String(repeating: "0123456789abcdef,\n", count: 700)
        let quoted = String(repeating: "x\"\"y", count: 900)
        let text = "a,\"\(long)\",b\n\"\(quoted)\",\(String(repeating: "z", count: 5000))\nend"
        let expected = Outcome.rows(
            [
                ["a", .quoted(long), "b"],
                [.quoted(String(repeating: "x\"y", count: 900)), Field(String(repeating: "z", count: 5000))],
                ["end"],
            ], lines: [1, 702, 703])
        for chunkBytes in [1, 2, 3, 63, 64, 65, 1000, 1 << 20] {
            #expect(try read(MemoryByteSource(Array(text.utf8)), chunkBytes: chunkBytes) == expected)
        }
    }

    @Test("a CSV row of 4,096 fields is read")
    func manyColumns() throws {
        let text = String(repeating: "x,", count: 4095) + "y\n1,2"
        let outcome = try read(MemoryByteSource(Array(text.utf8)), chunkBytes: 7)
        #expect(outcome.fault == nil)
        #expect(outcome.rows.map(\.count) == [4096, 2])
        #expect(outcome.rows[0].last == "y")
    }

    @Test("a bare quote stands for itself on request")
    func bareQuotes() throws {
        try expect(
            Array("5\" tall,a\"\"b,\"q\"\n6\"".utf8),
            gives: .rows([["5\" tall", "a\"\"b", .quoted("q")], ["6\""]], lines: [1, 2])
        ) { $0.allowsBareQuotes = true }
    }

    @Test("a CSV header finds columns by name, ignoring case and surrounding space")
    func header() throws {
        var reader = CSVReader(MemoryByteSource(Array("\u{FEFF}babyName, amount ,TIMESTAMP,하나,,\n".utf8)))
        let header = try CSVHeader(try #require(try reader.next()))
        #expect(header.names == ["babyName", "amount", "TIMESTAMP", "하나", "", ""])
        #expect(header.index(of: "BABYNAME") == 0)
        #expect(header.index(of: "amount") == 1)
        #expect(header.index(of: "timestamp") == 2)
        #expect(header.index(of: "하나") == 3)
        #expect(header.index(of: "") == nil)
        #expect(header.index(of: "feedType") == nil)
    }

    @Test("a CSV header that names a column twice is refused, without the name in the description")
    func duplicateColumn() throws {
        var reader = CSVReader(MemoryByteSource(Array("id,secret, SECRET".utf8)))
        let row = try #require(try reader.next())
        let error = #expect(throws: CSVError.self) { try CSVHeader(row) }
        #expect(error?.code == .duplicateColumn)
        #expect(error?.column == 3)
        #expect(error?.description.lowercased().contains("secret") == false)
        #expect(error?.debugDescription.contains("SECRET") == true)
    }
}
