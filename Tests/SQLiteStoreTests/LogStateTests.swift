import Foundation
import SwitchyardCore
import Testing

@testable import SQLiteStore

@Suite("A WAL that a killed process has left")
struct LogStateTests {
    /// A WAL, and whether it shows Leo, which no other file holds.
    enum Log: CaseIterable {
        case empty, oneByte, cutHeader, header, headerAndByte, oneFrame, cutFrame, whole
        case randomHeader, garbage, garbageAndFrames

        func bytes(of log: Data) -> Data {
            switch self {
            case .empty: Data()
            case .oneByte: log.prefix(1)
            case .cutHeader: log.prefix(31)
            case .header: log.prefix(32)
            case .headerAndByte: log.prefix(33)
            case .oneFrame: log.prefix(32 + 24 + 4096)
            case .cutFrame: log.dropLast(100)
            case .whole: log
            case .randomHeader: Data((0..<32).map { UInt8($0 * 37 % 251) })
            case .garbage: Data(repeating: 0xA5, count: 10_000)
            case .garbageAndFrames: Data(repeating: 0x5A, count: 32) + log.dropFirst(32)
            }
        }

        var names: [String] { self == .whole ? ["Leo", "Mia"] : ["Mia"] }
    }

    enum Index: CaseIterable {
        case missing, empty, zeros, garbage, stale

        func bytes(of index: Data) -> Data? {
            switch self {
            case .missing: nil
            case .empty: Data()
            case .zeros: Data(count: 32_768)
            case .garbage: Data(repeating: 0xA5, count: 32_768)
            case .stale: index
            }
        }
    }

    private func names(_ store: SQLiteStore) async throws -> [String] {
        try await store.read { try $0.fetch(Person.all.sorted(by: \.name)).map(\.name) }
    }

    @Test("a left WAL in any state is opened for writing beside any shared memory", arguments: Log.allCases)
    func writing(log: Log) async throws {
        let left = try await KilledProcessFiles()
        for index in Index.allCases {
            let directory = try TemporaryDirectory()
            try left.write(
                to: directory.file(), log: log.bytes(of: left.log), index: index.bytes(of: left.index))
            let store = try await openStore(directory.file())
            #expect(try await names(store) == log.names, "\(index)")
            try await store.write { _ = try $0.insert(Person("Zoe")) }
            try await store.close()
            let again = try await openStore(directory.file())
            #expect(try await names(again) == log.names + ["Zoe"], "\(index)")
            #expect(try await again.check() == [], "\(index)")
            try await again.close()
            #expect(try directory.names() == ["store.sqlite"], "\(index)")
        }
    }

    @Test(
        "a left WAL in any state is opened for reading unchanged beside any shared memory",
        arguments: Log.allCases)
    func reading(log: Log) async throws {
        let left = try await KilledProcessFiles()
        for index in Index.allCases {
            let directory = try TemporaryDirectory()
            try left.write(
                to: directory.file(), log: log.bytes(of: left.log), index: index.bytes(of: left.index))
            let store = try await openStore(directory.file(), options: OpenOptions(access: .readOnly))
            #expect(try await names(store) == log.names, "\(index)")
            #expect(try await store.check() == [], "\(index)")
            try await store.close()
            let refusal = await #expect(throws: StoreError.self) {
                _ = try await openStore(directory.file(), schema: .people(version: 2))
            }
            #expect(refusal?.code == .schemaMismatch, "\(index)")
            #expect(directory.bytes("store.sqlite") == left.file, "\(index)")
            #expect(directory.bytes("store.sqlite-wal") == log.bytes(of: left.log), "\(index)")
        }
    }

    @Test("a store opened read-only beside a left WAL does not keep others from writing")
    func readingAndWriting() async throws {
        let left = try await KilledProcessFiles()
        for index in Index.allCases {
            let directory = try TemporaryDirectory()
            try left.write(to: directory.file(), log: left.log, index: index.bytes(of: left.index))
            let path = directory.file()
            let reader = try await openStore(path, options: OpenOptions(access: .readOnly))
            let names = try await reader.read { tx in
                let first = try tx.fetch(Person.all.sorted(by: \.name)).map(\.name)
                let isWritten = DispatchSemaphore(value: 0)
                Task {
                    let store = try await openStore(path)
                    try await store.write { _ = try $0.insert(Person("Zoe")) }
                    try await store.close()
                    isWritten.signal()
                }
                isWritten.wait()
                return try first + tx.fetch(Person.all.sorted(by: \.name)).map(\.name)
            }
            #expect(names == ["Leo", "Mia", "Leo", "Mia"], "\(index)")
            #expect(try await self.names(reader) == ["Leo", "Mia", "Zoe"], "\(index)")
            try await reader.close()
        }
    }

    @Test("of several concurrent openings of a left WAL none keeps another from writing")
    func rounds() async throws {
        let left = try await KilledProcessFiles()
        for round in 0..<200 {
            let directory = try TemporaryDirectory()
            let path = directory.file()
            try left.write(to: path, log: left.log, index: nil)
            async let writing = openStore(path)
            async let reading = openStore(path, options: OpenOptions(access: .readOnly))
            async let refusing = #expect(throws: StoreError.self) {
                _ = try await openStore(path, schema: .people(version: 2))
            }
            let (reader, writer) = (try await reading, try await writing)
            async let seen = reader.read { try $0.fetch(Person.all).map(\.name) }
            try await writer.write { _ = try $0.insert(Person("Zoe")) }
            #expect(try await Set(seen).isSuperset(of: ["Leo", "Mia"]), "round \(round)")
            #expect(await refusing?.code == .schemaMismatch, "round \(round)")
            try await reader.close()
            try await writer.close()
            let last = try await openStore(path)
            #expect(try await names(last) == ["Leo", "Mia", "Zoe"], "round \(round)")
            try await last.close()
        }
    }
}
