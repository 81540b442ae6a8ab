import Foundation
import Testing

/// What the sources must keep to for Apple's systems, which no build here shows.
@Suite("Sources")
struct SourceTests {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The modules in some folders, by default those of the library: the name and the files of each.
    static func modules(
        in folders: [String] = ["Sources", "Plugins"]
    ) throws -> [(name: String, directory: URL, files: [URL])] {
        try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
        }
        // A package of its own is no module.
        .filter { !FileManager.default.fileExists(atPath: $0.appending(path: "Package.swift").path) }
        .map { directory in
            let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
            let swift = files?.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
            return (directory.lastPathComponent, directory, swift)
        }
    }

    /// The lines of code, without comments, texts and what a text of several lines holds.
    private func code(of file: URL) throws -> [Substring] {
        var isText = false
        return try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                defer { if line.ranges(of: "\"\"\"").count % 2 == 1 { isText.toggle() } }
                guard !isText, !line.contains("\"\"\"") else { return "" }
                // Regular expressions are slow where they are not optimised.
                let plain =
                    line.utf8.contains(UInt8(ascii: "\""))
                    ? line.replacing(/#"(?:[^"]|"[^#])*"#|"(?:\\.|[^"\\])*"/, with: "\"\"") : line
                return plain.prefix(upTo: plain.firstRange(of: "//")?.lowerBound ?? plain.endIndex)
            }
    }

    /// Whether a line has an integer that 32 bits cannot hold, and does not say which type has more.
    private func overflows32Bits(_ line: Substring) -> Bool {
        guard line.utf8.contains(where: { (48...57).contains($0) }),
            line.contains("1 << ") || hasLongNumber(line),
            !line.contains(/\b(?:U?Int64|U?Int128|Double)\b/)
        else { return false }
        if line.contains(/\b1 << (?:3[1-9]|[4-6]\d)\b/) { return true }
        return line.matches(of: /(?:^|[^\w.])(\d[\d_]*)(?![\w.])/).contains { match in
            (Int64(match.output.1.replacing("_", with: "")) ?? .max) > Int64(Int32.max)
        }
    }

    private func hasLongNumber(_ line: Substring) -> Bool {
        var count = 0
        for byte in line.utf8 {
            if (48...57).contains(byte) { count += 1 } else if byte != UInt8(ascii: "_") { count = 0 }
            if count == 10 { return true }
        }
        return false
    }

    @Test("a number that needs more than 32 bits names its type, for watchOS")
    func numbers() throws {
        #expect(overflows32Bits("let perDay = 86_400_000_000"))
        #expect(overflows32Bits("let most = 1 << 32"))
        #expect(!overflows32Bits("let perDay: Int64 = 86_400_000_000"))
        #expect(!overflows32Bits("let most = 2_147_483_647, least = 0x8000_0000_0000, part = 1.0e12"))
        for (_, _, files) in try Self.modules(in: ["Sources", "Plugins", "Examples/Sources"]) {
            for file in files {
                for (number, line) in try code(of: file).enumerated() where overflows32Bits(line) {
                    Issue.record("\(file.lastPathComponent):\(number + 1): \(line)")
                }
            }
        }
    }

    @Test("a module that uses an API with a required reason has a privacy manifest")
    func privacy() throws {
        let manifest = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let calls: [(Regex<Substring>, words: [String], category: String)] = [
            (/\b[lf]?stat(?:at)?\(/, ["stat(", "statat("], "NSPrivacyAccessedAPICategoryFileTimestamp"),
            (/\bstatvfs\(/, ["statvfs("], "NSPrivacyAccessedAPICategoryDiskSpace"),
            (/\bUserDefaults\b/, ["UserDefaults"], "NSPrivacyAccessedAPICategoryUserDefaults"),
            (
                /\b(?:systemUptime|mach_absolute_time)\b/, ["systemUptime", "mach_absolute_time"],
                "NSPrivacyAccessedAPICategorySystemBootTime"
            ),
        ]
        var declared: Set<String> = []
        for (name, directory, files) in try Self.modules() {
            let lines = try files.flatMap { try code(of: $0) }
            let reasons = try? String(
                contentsOf: directory.appending(path: "PrivacyInfo.xcprivacy"), encoding: .utf8)
            for (call, words, category) in calls {
                let isCalled = lines.contains { line in
                    words.contains { line.contains($0) } && line.contains(call)
                }
                #expect(reasons?.contains(category) ?? false == isCalled, "\(name): \(category)")
            }
            if reasons != nil { declared.insert(name) }
        }
        #expect(declared.contains("SwitchyardFiles"))
        let list = try #require(
            manifest.firstMatch(of: /targetsWithPrivacyManifest: Set = \[([^\]]*)\]/)?.output.1)
        #expect(Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) }) == declared)
    }
}
