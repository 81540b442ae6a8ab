import Foundation

/// A command of the system, or the project's own, run to its end.
enum Tool {
    /// Runs a command without showing its output.
    static func run(_ name: String, _ arguments: [String], input: String? = nil, output: String? = nil) throws
    {
        let process = Process()
        process.executableURL = try executable(name)
        process.arguments = arguments
        process.standardOutput =
            try output.map { path in
                try Data().write(to: URL(filePath: path))
                return try FileHandle(forWritingTo: URL(filePath: path))
            } ?? FileHandle.nullDevice
        process.standardInput =
            try input.map { try FileHandle(forReadingFrom: URL(filePath: $0)) } ?? FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw MeasurementError("\(name) ended with status \(process.terminationStatus)")
        }
    }

    /// The file of a command that is given by its path or found in the environment's search path.
    private static func executable(_ name: String) throws -> URL {
        if name.hasPrefix("/") { return URL(filePath: name) }
        let directories = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        for directory in directories
        where FileManager.default.isExecutableFile(atPath: "\(directory)/\(name)") {
            return URL(filePath: "\(directory)/\(name)")
        }
        throw MeasurementError("the command \(name) was not found")
    }
}
