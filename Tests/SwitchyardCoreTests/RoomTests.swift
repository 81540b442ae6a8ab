import Foundation
import Testing

/// A module, and a folder of one, is a room: it uses those below it alone, so that nobody has to know two at once.
@Suite("Rooms")
struct RoomTests {
    /// Those of the core, from the bottom to the top; nothing above them is in its umbrella.
    private static let core = [
        "SwitchyardValue", "SwitchyardFiles", "SwitchyardModel", "SwitchyardStore", "SwitchyardRelated",
        "SwitchyardHistory", "SwitchyardMigration", "SwitchyardRowStore", "SwitchyardPlaces",
        "SwitchyardCore",
    ]

    @Test("a module of the core imports only those below it, and the umbrella imports each of them")
    func imports() throws {
        for (level, name) in Self.core.enumerated() {
            let imported = try Self.imports(of: name).filter { $0.hasPrefix("Switchyard") }
            #expect(imported.isSubset(of: Self.core[..<level]), "\(name)")
        }
        #expect(try Self.imports(of: "SwitchyardCore") == Set(Self.core.dropLast()))
    }

    @Test("no folders of a module use each other, directly or round about")
    func folders() throws {
        for module in try SourceTests.modules() {
            var folders: [String: [String: String]] = [:]
            for file in module.files {
                // Files beside the folders are the module's own: what they declare is used by all, and they use all.
                let path = file.path.dropFirst(module.directory.path.count + 1).split(separator: "/")
                guard path.count > 1 else { continue }
                folders[String(path[0]), default: [:]][file.lastPathComponent] = try String(
                    contentsOf: file, encoding: .utf8)
            }
            for arrow in Self.arrowsInCircles(of: folders) { Issue.record("\(module.name): \(arrow)") }
        }
    }

    @Test("a circle is found, and no arrow in a comment, a text or a longer name")
    func example() {
        let jar = "/// A Pot.\nstruct Jar { let name = \"Pot\", number: PotNumber, cup: Cup }"
        let cup = ["Cup.swift": "struct Cup { let pot: Pot }"]
        let pot = ["Pot.swift": "public final class Pot {\n    struct Lid { let cup: Jar }\n}"]
        #expect(
            Self.arrowsInCircles(of: ["A": cup, "B": ["Jar.swift": jar], "C": pot]) == [
                "A/Cup.swift uses Pot of C", "B/Jar.swift uses Cup of A", "C/Pot.swift uses Jar of B",
            ])
        let alone = ["Jar.swift": "/// A Pot.\nstruct Jar { let name = \"Cup\", number: CupNumber }"]
        #expect(Self.arrowsInCircles(of: ["A": cup, "B": alone, "C": pot]) == [])
    }

    @Test("no module has more lines than somebody reads in a week")
    func sizes() throws {
        for module in try SourceTests.modules() {
            let lines = try module.files.reduce(0) { sum, file in
                try sum + Data(contentsOf: file).count { $0 == UInt8(ascii: "\n") }
            }
            #expect(lines <= 9_000, "\(module.name)")
        }
    }

    /// The modules that the files of a module import.
    private static func imports(of name: String) throws -> Set<String> {
        let module = try #require(try SourceTests.modules().first { $0.name == name })
        return try module.files.reduce(into: []) { names, file in
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let name = line.firstMatch(of: /^(?:@\w+ |public |package |internal )*import (\w+)/)
                else { continue }
                names.insert(String(name.output.1))
            }
        }
    }

    /// The uses of a folder's types in others that it uses itself, given the text of each file by its name and folder.
    private static func arrowsInCircles(of folders: [String: [String: String]]) -> [String] {
        var declared: [String: Set<String>] = [:]
        var used: [(folder: String, file: String, words: Set<String>)] = []
        for (folder, files) in folders {
            for (file, text) in files {
                let words = Words(of: text)
                for name in words.declared { declared[name, default: []].insert(folder) }
                used.append((folder, file, words.used))
            }
        }
        var arrows: [(from: String, to: String, text: String)] = []
        for (folder, file, words) in used {
            for word in words {
                // A name that two folders declare for themselves is no arrow.
                guard let owners = declared[word], owners.count == 1, let owner = owners.first,
                    owner != folder
                else { continue }
                arrows.append((folder, owner, "\(folder)/\(file) uses \(word) of \(owner)"))
            }
        }
        let next = Dictionary(grouping: arrows, by: \.from).mapValues { Set($0.map(\.to)) }
        func leads(_ start: String, to end: String) -> Bool {
            var seen: Set<String> = [], open = [start]
            while let folder = open.popLast() {
                if folder == end { return true }
                open += next[folder, default: []].subtracting(seen)
                seen.formUnion(next[folder, default: []])
            }
            return false
        }
        return arrows.filter { leads($0.to, to: $0.from) }.map(\.text).sorted()
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
            // `import struct` declares nothing.
            if isText || isFence || line.contains("import ") { continue }
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
