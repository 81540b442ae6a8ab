import Foundation
import Testing

/// A directory of a test's own, in which a program is run with a home, a store and a time zone of its own.
final class Workbench: Sendable {
    let directory: URL
    /// The program that is run.
    let program: String
    /// What is set in the environment of every run.
    let environment: [String: String]

    /// The store is `store.sqlite` in the directory, unless another environment is given.
    init(
        _ environment: [String: String] = ["SWITCHYARD_STORE_URL": "sqlite:store.sqlite"],
        program: String = "babymonitor"
    ) throws {
        self.program = program
        directory = FileManager.default.temporaryDirectory
            .appending(path: "\(program)-\(UUID().uuidString)").resolvingSymlinksInPath()
        let home = directory.appending(path: "home")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        // What a developer has set for the command is not meant for its tests.
        var all = ProcessInfo.processInfo.environment.filter { name, _ in
            !name.hasPrefix("SWITCHYARD_") && !name.hasPrefix("XDG_") && !name.hasPrefix("LC_")
        }
        all["HOME"] = home.path
        all["TZ"] = "UTC"
        all["LANG"] = "de_DE.UTF-8"
        self.environment = all.merging(environment) { $1 }
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    func url(_ name: String) -> URL { directory.appending(path: name) }

    func write(_ text: String, to name: String) throws { try Data(text.utf8).write(to: url(name)) }

    func read(_ name: String) throws -> String { try String(contentsOf: url(name), encoding: .utf8) }

    /// The bytes of all files below, by name, without what runs leave beside the store.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        where !name.hasPrefix("run-") {
            files[name] = FileManager.default.contents(atPath: url(name).path) ?? Data("directory".utf8)
        }
        return files
    }

    /// Runs the command.
    ///
    /// - Parameters:
    ///   - arguments: Its words.
    ///   - environment: What is set besides; an empty text removes.
    ///   - input: What stands on standard input.
    ///   - output: A file that stands for standard output.
    /// - Returns: How it has ended.
    /// - Throws: What keeps it from being started.
    func run(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil,
        output: String? = nil
    ) async throws -> Outcome {
        let command = try #require(Command.executable(program), "the command is not built; run swift build")
        let run = "run-\(UUID().uuidString)"
        try write(input ?? "", to: "\(run)-input")
        return try await start(
            command, arguments, environment: environment, run: run,
            input: input == nil ? "/dev/null" : url("\(run)-input").path, output: output)
    }

    /// Runs the command, which must succeed and leave standard error empty.
    func succeed(
        _ arguments: String..., input: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let outcome = try await run(arguments, input: input)
        #expect(outcome.status == 0, "\(arguments)", sourceLocation: sourceLocation)
        #expect(outcome.error == "", "\(arguments)", sourceLocation: sourceLocation)
        return outcome
    }

    /// Makes a store without rows.
    func makeStore() async throws {
        _ = try await succeed("import", "feeds", "-", "--create-babies", input: "")
    }

    /// Runs the command, which must fail with a status and one paragraph, and write nothing else.
    ///
    /// - Returns: The paragraph.
    func fail(
        _ status: Int32, _ arguments: String..., environment: [String: String] = [:], input: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let outcome = try await run(arguments, environment: environment, input: input)
        #expect(outcome.status == status, "\(arguments)", sourceLocation: sourceLocation)
        #expect(outcome.output == "", "\(arguments)", sourceLocation: sourceLocation)
        #expect(outcome.isOneParagraph, "\(outcome.error)", sourceLocation: sourceLocation)
        return outcome.error
    }

    /// Runs the command through a shell, as `"$@"` of a script.
    func shell(_ script: String, _ arguments: String...) async throws -> Outcome {
        try await shell(script, arguments)
    }

    /// Runs the command through a shell, as `"$@"` of a script.
    func shell(_ script: String, _ arguments: [String]) async throws -> Outcome {
        let command = try #require(Command.executable(program), "the command is not built; run swift build")
        return try await start(
            URL(filePath: "/bin/sh"), ["-c", script, "sh", command.path] + arguments, environment: [:],
            run: "run-\(UUID().uuidString)", input: "/dev/null", output: nil)
    }

    /// Runs the command without a reader of its output, so that a signal kills it when it prints its first line.
    func kill(_ arguments: String...) async throws {
        let script = #"mkfifo pipe; (: <pipe) & exec 3>pipe; wait; rm pipe; "$@" >&3"#
        let status = try await shell(script, arguments).status
        #expect(status == 128 + SIGPIPE)
    }

    /// Runs the command with a terminal as standard input and standard error, at which somebody has typed.
    func converse(_ arguments: String..., typing text: String) async throws -> Outcome {
        let command = try #require(Command.executable(program), "the command is not built; run swift build")
        let terminal = try Terminal()
        try terminal.type(text)
        let outcome = try await start(
            command, arguments, environment: [:], run: "run-\(UUID().uuidString)", input: terminal.path,
            output: nil, error: terminal.path)
        return Outcome(status: outcome.status, output: outcome.output, error: try terminal.shown())
    }

    private func start(
        _ program: URL, _ arguments: [String], environment: [String: String], run: String, input: String,
        output: String?, error: String? = nil
    ) async throws -> Outcome {
        for stream in ["output", "error"] { try write("", to: "\(run)-\(stream)") }
        defer {
            for stream in ["input", "output", "error"] {
                try? FileManager.default.removeItem(at: url("\(run)-\(stream)"))
            }
        }
        let status = try await Command.run(
            Command.Call(
                program: program, arguments: arguments,
                environment: self.environment.merging(environment) { $1 }.filter { !$1.isEmpty },
                directory: directory, input: input, output: output ?? url("\(run)-output").path,
                error: error ?? url("\(run)-error").path))
        return Outcome(status: status, output: try read("\(run)-output"), error: try read("\(run)-error"))
    }
}
