import SwitchyardCore
import Testing

@testable import SwitchyardCommands

/// The matrices are those of the Python package `qrcode` 8, for the same bytes, level and mask.
@Suite("A link as a QR code")
struct QRCodeTests {
    private static func text(_ code: QRCode) -> String {
        (0..<code.size).map { row in
            (0..<code.size).map { code.isDark($0, row) ? "#" : "." }.joined()
        }.joined(separator: "\n")
    }

    @Test("a short text is drawn module by module as another implementation draws it")
    func matrix() throws {
        let code = try #require(QRCode("switchyard", mask: 3))
        #expect(
            Self.text(code) == """
                #######.####..#######
                #.....#.##..#.#.....#
                #.###.#..####.#.###.#
                #.###.#.###.#.#.###.#
                #.###.#..#....#.###.#
                #.....#...#...#.....#
                #######.#.#.#.#######
                ........###..........
                #.##.###.#....#..#.##
                #.####....#.#..######
                #..#.###....####..###
                .##.#....##.#..###..#
                ....###.#.##.####....
                ........##....######.
                #######.###..#####...
                #.....#.##.###.#.##.#
                #.###.#....#....#.#..
                #.###.#.#........#.#.
                #.###.#.##.#......#..
                #.....#....##.###...#
                #######.##.###..#.#..
                """)
    }

    @Test(
        "the longest text of each version is drawn as another implementation draws it",
        arguments: [
            (14, 21, 6, "0a86d224ff76ff7652105343b7580d61"), (26, 25, 2, "508eef4f9afe92108d60f7c7b28bf321"),
            (42, 29, 2, "8567c511a8d515e03ce93505ac038d3d"), (62, 33, 6, "66079248f48b5cc64de1fbc1aa89c090"),
            (84, 37, 4, "d58d91ef2903bb9f5a84402c6baf1427"),
            (106, 41, 2, "22f652dfd519b6c03041b6c6a1a11836"),
            (122, 45, 2, "9b7bb9d2e410d7a9e878fdafee643933"),
            (152, 49, 0, "6c623b11c06d6c30a9d213713cfab962"),
            (180, 53, 4, "27aac834eb6127638b8b4f999b5b025a"),
            (213, 57, 5, "2efdd717bcd015401d22b60637a5b8cd"),
        ] as [(Int, Int, Int, String)])
    func versions(_ count: Int, _ size: Int, _ mask: Int, _ digest: String) throws {
        let code = try #require(QRCode(String(repeating: "x", count: count), mask: mask))
        #expect(code.size == size)
        let text: String = Self.text(code).sha256
        #expect(text.prefix(32) == digest)
    }

    @Test("each mask inverts the modules that another implementation inverts")
    func masks() throws {
        let link =
            "switchyard://join/AQECAwQFBgcICQoLDA0ODxARAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw"
            + "?service=https://mirror.example.org"
        let digests = [
            "a205a36032209ce3082cc238618fb955", "9d4d4db40364fdd2be603fd58f253538",
            "6ed2536791f4aff0e212f8bfc8b14f06", "16741d3ef4829354a2603c8bce15796a",
            "a673450f7e1957733d727bed2ffe9761", "cc2ccc2941d9cc421457ff3b0cbee268",
            "1a589bb0c416adf3f34e531361d7686d", "f76b7a35a65f3d4cf6db6c8795986441",
        ]
        for (mask, digest) in digests.enumerated() {
            let text: String = Self.text(try #require(QRCode(link, mask: mask))).sha256
            #expect(text.prefix(32) == digest, "mask \(mask)")
        }
    }

    @Test("the mask is the one that two other implementations choose")
    func choice() throws {
        let digests = [
            26: "4da660857725e0a2d710e113702c36d2", 62: "e5dddf8f80cae63756c177823d7291ed",
            106: "0b3f3e5938840365503823150d20a7e4", 122: "cca45b0d68d2b686b0f215695b86cdd0",
            180: "da2d371b971d44d37a8e58f28a933703", 213: "5b61c982b56d25234b982f4f8af846b0",
        ]
        for (count, digest) in digests {
            let text: String = Self.text(try #require(QRCode(String(repeating: "x", count: count)))).sha256
            #expect(text.prefix(32) == digest, "\(count) bytes")
        }
    }

    @Test("a text that is too long is no code, and a terminal shows two rows a line inside a light border")
    func terminal() throws {
        #expect(QRCode(String(repeating: "x", count: 214)) == nil)
        let lines = try #require(QRCode("switchyard", mask: 3)).lines(isColoured: false)
        #expect(lines.count == 15)
        #expect(lines[0] == String(repeating: "█", count: 29))
        #expect(lines[2] == "████ ▄▄▄▄▄ █  ▄▄▀█ ▄▄▄▄▄ ████")
        let coloured = try #require(QRCode("switchyard", mask: 3)).lines(isColoured: true)
        #expect(coloured.allSatisfy { $0.hasPrefix("\u{1B}[38;5;231;48;5;16m") && $0.hasSuffix("\u{1B}[0m") })
    }
}
