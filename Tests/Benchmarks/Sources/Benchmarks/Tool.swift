import Foundation

/// A command of the system, or the project's own, run to its end.
enum Tool {
    /// Runs a command without showing its output.
    static func run(_ name: String, _ arguments: [String], input: String? = nil, output: String? = nil) throws
    {
        let process = Process()
        process.executableURL = URL(filePath: name.hasPrefix("/") ? name : "/usr/bin/env")
        process.arguments = name.hasPrefix("/") ? arguments : [name] + arguments
        process.standardOutput =
            try output.map { path in
                FileManager.default.createFile(atPath: path, contents: nil)
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
}
