import Foundation
import Testing

/// Type-checks sources against the modules beside the test program, as the compiler would in a client.
struct TypeCheck {
    private static let products = Bundle.main.executableURL?.deletingLastPathComponent()
    private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
        .map { URL(fileURLWithPath: String($0)).appending(path: "swiftc") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }

    /// Whether the compiler and what it needs are where SwiftPM puts them.
    static var isPossible: Bool {
        guard let products, compiler != nil else { return false }
        return ["Modules/Switchyard.swiftmodule", "SwitchyardMacros-tool"].allSatisfy {
            FileManager.default.fileExists(atPath: products.appending(path: $0).path)
        }
    }

    /// The directory of the package.
    static let package = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// The module maps of the C targets beneath the modules, which these name.
    private static let moduleMaps: [String] = {
        var maps = ["CLibPQ", "CExclusiveRename"].compactMap {
            products?.appending(path: "\($0).build/module.modulemap").path
        }
        var directory = products
        for _ in 1...4 {
            directory = directory?.deletingLastPathComponent()
            guard let checkouts = directory?.appending(path: "checkouts"),
                let packages = try? FileManager.default.contentsOfDirectory(atPath: checkouts.path)
            else { continue }
            for package in packages {
                let sources = checkouts.appending(path: package).appending(path: "Sources")
                let targets = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
                for target in targets {
                    let target = sources.appending(path: target)
                    maps += ["include/module.modulemap", "module.modulemap"].map {
                        target.appending(path: $0).path
                    }
                }
            }
        }
        return maps.filter { FileManager.default.fileExists(atPath: $0) }
    }()

    /// Where the compiler has the macros of Swift Testing.
    private static var testingPlugins: String? {
        let tools = compiler?.resolvingSymlinksInPath().deletingLastPathComponent()
        return tools?.appending(path: "../lib/swift/host/plugins/testing").standardized.path
    }

    let succeeded: Bool
    let output: String

    /// Checks declarations that need only Foundation and Switchyard.
    init(_ declarations: String) throws {
        try self.init(
            source: "import Foundation\nimport Switchyard\n\(declarations)", arguments: ["-parse-as-library"])
    }

    /// Checks a whole program: the text of a `main.swift`; the settings are the compiler's arguments for the language.
    init(program: String, settings: [String] = swift6) throws {
        try self.init(source: program, arguments: [], settings: settings)
    }

    /// Checks the files of tests, which may import any module of the package.
    init(tests: [String], settings: [String]) throws {
        try self.init(
            sources: tests,
            // In one go, so that the modules are read once.
            arguments: [
                "-parse-as-library", "-whole-module-optimization", "-enable-testing", "-package-name",
                Self.package.lastPathComponent.lowercased(),
            ]
                + (Self.testingPlugins.map { ["-plugin-path", $0] } ?? []), settings: settings)
    }

    /// The arguments for the language mode Swift 6.
    static let swift6 = ["-swift-version", "6"]

    /// Checks the files of a module that need only Foundation and Switchyard, so many of them at a time, as SwiftPM has
    /// the compiler do for debugging.
    init(files: [String], batchSize: Int) throws {
        try self.init(
            sources: files.map { "import Foundation\nimport Switchyard\n\($0)" },
            arguments: [
                "-parse-as-library", "-enable-batch-mode", "-driver-batch-size-limit", String(batchSize),
            ])
    }

    /// Checks files of one module that need only Foundation and Switchyard, in one go.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - shared: One more that they share.
    /// - Returns: What the compiler says of each file.
    /// - Throws: What kept the compiler from being run.
    static func each(_ files: [String], beside shared: String = "") throws -> [TypeCheck] {
        let check = try TypeCheck(
            sources: (files + [shared]).map { "import Foundation\nimport Switchyard\n\($0)" },
            arguments: ["-parse-as-library", "-whole-module-optimization"])
        // A paragraph is about one place; that of an expanded macro names the file that it was expanded for.
        let paragraphs = check.output.split(separator: "\n\n").map { "\($0)\n" }
        let isOfOne = { (paragraph: String) in
            files.indices.contains { paragraph.contains("File\($0).swift:") }
        }
        // The compiler does not know the place of every error in an expanded macro: then each file is checked alone.
        if paragraphs.contains(where: { $0.contains("error: ") && !isOfOne($0) }) {
            return try files.map { file in
                try TypeCheck(
                    sources: [file, shared].map { "import Foundation\nimport Switchyard\n\($0)" },
                    arguments: ["-parse-as-library", "-whole-module-optimization"])
            }
        }
        return files.indices.map { index in
            TypeCheck(
                output: paragraphs.filter { $0.contains("File\(index).swift:") }.joined(separator: "\n"))
        }
    }

    private init(output: String) {
        self.output = output
        succeeded = !output.contains("error: ")
    }

    private init(source: String, arguments: [String], settings: [String] = swift6) throws {
        try self.init(sources: [source], arguments: arguments, settings: settings)
    }

    private init(sources: [String], arguments: [String], settings: [String] = swift6) throws {
        let products = try #require(Self.products)
        let compiler: URL = try #require(Self.compiler)
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        // A single one may be a program, whose file has a name of its own.
        let names = sources.count == 1 ? ["main"] : sources.indices.map { "File\($0)" }
        let files = names.map { directory.appending(path: "\($0).swift") }
        for (file, source) in zip(files, sources) {
            try source.write(to: file, atomically: true, encoding: .utf8)
        }
        let process = Process()
        process.executableURL = compiler
        process.arguments =
            [
                "-typecheck", "-module-name", "Client", "-I", products.appending(path: "Modules").path,
                "-load-plugin-executable",
                products.appending(path: "SwitchyardMacros-tool").path + "#SwitchyardMacros",
            ] + files.map(\.path) + arguments + settings
            + Self.moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = pipe
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        succeeded = process.terminationStatus == 0
    }

    /// Whether an error's headline says this.
    func reports(_ message: String) -> Bool {
        output.split(separator: "\n").contains { $0.contains(": error: ") && $0.contains(message) }
    }
}
