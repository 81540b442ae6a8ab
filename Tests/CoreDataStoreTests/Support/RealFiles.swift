import Foundation

/// Real stores that may lie beside the package; they are not part of it.
enum RealFiles {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../shared/data/coredata").standardizedFileURL
    static let areThere = FileManager.default.fileExists(atPath: directory.appending(path: "kik.sqlite").path)
    static let need = "needs ../shared/data/coredata"

    static func path(_ name: String) -> String { directory.appending(path: name + ".sqlite").path }
}
