import Foundation
import Testing

@Suite("babymonitor export keeps what is there")
struct ExportTests {
    let bench: Workbench

    init() throws { bench = try Workbench() }

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: bench.url(name).path)[.posixPermissions] as? Int
    }

    @Test("a new file is its owner's alone, and one that is replaced keeps its permissions")
    func permissions() async throws {
        try await bench.makeStore()
        _ = try await bench.succeed("export", "feeds", "new.csv")
        #expect(try permissions("new.csv") == 0o600)
        for mode in [0o644, 0o660, 0o600] {
            try bench.write("older", to: "older.csv")
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: bench.url("older.csv").path)
            _ = try await bench.succeed("export", "feeds", "older.csv")
            #expect(try permissions("older.csv") == mode)
            #expect(try bench.read("older.csv") == "babyName,timestamp,amountValue,amountUnit,feedType")
        }
    }
}
