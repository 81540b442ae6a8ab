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

    let succeeded: Bool
    let output: String

    /// Checks declarations that need only Foundation and Switchyard.
    init(_ declarations: String) throws {
        try self.init(
            source: "import Foundation\nimport Switchyard\n\(declarations)", arguments: ["-parse-as-library"])
    }

    /// Checks a whole program: the text of a `main.swift`.
    init(program: String) throws { try self.init(source: program, arguments: []) }

    private init(source: String, arguments: [String]) throws {
        let products = try #require(Self.products)
        let compiler: URL = try #require(Self.compiler)
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = compiler
        process.arguments =
            [
                "-typecheck", "-swift-version", "6", "-I", products.appending(path: "Modules").path,
                "-load-plugin-executable",
                products.appending(path: "SwitchyardMacros-tool").path + "#SwitchyardMacros",
                file.path,
            ] + arguments + Self.moduleMaps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
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
