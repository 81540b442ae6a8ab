import Foundation
import Testing

/// Rooms are the folders of the core, in an order: each uses those before it alone, so that nobody has to know two at once.
@Suite("Rooms of the core")
struct RoomTests {
    private static let order = [
        "Concurrency", "Value", "Condition", "Model", "Query", "File", "Change", "Telemetry", "Store",
        "Plugin",
        "History", "Live", "Migration", "RowStore", "Snapshot", "Place",
    ]

    @Test("a room of the core uses no type of a room that comes after it")
    func order() throws {
        let core = SourceTests.root.appending(path: "Sources/SwitchyardCore")
        var rooms: [String: [String: String]] = [:]
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: core, includingPropertiesForKeys: nil))
        where file.pathExtension == "swift" {
            let path = file.path.dropFirst(core.path.count + 1).split(separator: "/")
            rooms[String(path[0]), default: [:]][file.lastPathComponent] = try String(
                contentsOf: file, encoding: .utf8)
        }
        #expect(Set(rooms.keys) == Set(Self.order))
        for arrow in Self.arrowsBack(in: rooms, order: Self.order) { Issue.record("\(arrow)") }
    }

    @Test("an arrow back is found, and not one in a comment, a text or a longer name")
    func example() {
        let arrows = Self.arrowsBack(
            in: [
                "Low": ["Cup.swift": "struct Cup { let pot: Pot }"],
                "Middle": ["Jar.swift": "/// A Pot.\nstruct Jar { let name = \"Pot\", number: PotNumber }"],
                "High": ["Pot.swift": "public final class Pot {\n    struct Lid { let cup: Cup }\n}"],
            ], order: ["Low", "Middle", "High"])
        #expect(arrows == ["Low/Cup.swift uses Pot of High"])
    }

    @Test("no module has more lines than somebody reads in a week")
    func sizes() throws {
        for module in try SourceTests.modules() {
            let lines = try module.files.reduce(0) { sum, file in
                try sum + Data(contentsOf: file).count { $0 == UInt8(ascii: "\n") }
            }
            // These two are still to be divided, and may not grow until then.
            let most = ["SwitchyardCore": 26_400, "SwitchyardConformance": 15_600][module.name] ?? 9_000
            #expect(lines <= most, "\(module.name)")
        }
    }

    /// The uses of types in rooms before those that declare them, given the text of each file by its name and room.
    private static func arrowsBack(in rooms: [String: [String: String]], order: [String]) -> [String] {
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        var declared: [String: Set<String>] = [:]
        var used: [(room: String, file: String, words: Set<String>)] = []
        for (room, files) in rooms {
            for (file, text) in files {
                let words = Words(of: text)
                for name in words.declared { declared[name, default: []].insert(room) }
                used.append((room, file, words.used))
            }
        }
        var arrows: [String] = []
        for (room, file, words) in used {
            for word in words {
                // A name that two rooms declare for themselves is no arrow.
                guard let owners = declared[word], owners.count == 1, let owner = owners.first,
                    let from = places[room], let to = places[owner], from < to
                else { continue }
                arrows.append("\(room)/\(file) uses \(word) of \(owner)")
            }
        }
        return arrows.sorted()
    }
}

/// The capitalised words of a source file, without those in comments and texts.
private struct Words {
    private(set) var used: Set<String> = []
    /// Those that it declares at the top level, and shows to other files.
    private(set) var declared: Set<String> = []

    private static let kinds: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

    init(of text: String) {
        var isText = false
        for line in text.split(separator: "\n") {
            let isFence = line.contains("\"\"\"")
            if isFence { isText.toggle() }
            if isText || isFence { continue }
            add(line)
        }
    }

    private mutating func add(_ line: Substring) {
        var word: [UInt8] = []
        var last = ""
        var inString = false
        var previous: UInt8 = 0
        let isTopLevel = !["private", "fileprivate", " "].contains { line.hasPrefix($0) }
        func isPart(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || (48...57).contains(byte) || (65...90).contains(byte)
                || (97...122).contains(byte)
        }
        for byte in Array(line.utf8) + [0] {
            defer { previous = byte }
            if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") { inString.toggle() }
            if inString { continue }
            if byte == UInt8(ascii: "/"), previous == byte { return }
            if isPart(byte) {
                word.append(byte)
                continue
            }
            guard !word.isEmpty else { continue }
            let name = String(decoding: word, as: UTF8.self)
            if (65...90).contains(word[0]) {
                used.insert(name)
                if isTopLevel, Self.kinds.contains(last) { declared.insert(name) }
            }
            last = name
            word = []
        }
    }
}
