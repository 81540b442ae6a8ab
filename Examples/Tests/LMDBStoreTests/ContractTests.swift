import Testing

#if LMDB
    import CLMDB
    import Foundation
    import LMDBStore
    import MemoryStore
    import Switchyard
    import SwitchyardConformance
    import SwitchyardCore

    @Suite("The contract on LMDB")
    struct ContractTests {
        @Test("LMDB keeps", .nightly, arguments: Requirement.all)
        func contract(_ requirement: Requirement) async throws {
            let reason = try await requirement.verify(LMDBHarness())
            #expect(reason == Self.reasons[requirement.number])
        }

        /// Why parts of requirements have no meaning here.
        private static let reasons = reasons([
            LMDBHarness.hidden: [
                "S+faults", "S1+columns", "S2", "S2+column", "S2+table", "V3", "V5", "V8", "V12", "V15",
                "V15+part",
            ],
            LMDBHarness.unconnected: ["T4+commit", "T4+idle", "T4+statement"],
            "A directory holds the rows of one household; make one for each.": [
                "S7", "S7+keys", "S7+references", "S7+operations", "S7+all", "S7+several", "S7+followers",
                "S7+kind",
            ],
            "Each write begins when the one before has ended, so none loses to another.": ["T3"],
        ])

        private static func reasons(_ numbers: [String: [String]]) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: numbers.flatMap { reason, numbers in numbers.map { ($0, reason) } })
        }

        @Test("LMDB gives the memory store's answers to the same operations")
        func sameAnswers() async throws {
            let environment = ProcessInfo.processInfo.environment
            let seed =
                environment["SWITCHYARD_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max)
            print("differential run: seed \(seed), on memory and LMDB")
            _ = try await DifferentialRun([MemoryHarness(), LMDBHarness()], seed: seed, operations: 500)
                .verify()
        }

        @Test("a directory, a file or a database of something else is refused, and left as it was")
        func strangers() async throws {
            try await withDirectory { directory in
                let note = directory.appending(path: "note.txt")
                try Data("milk".utf8).write(to: note)
                await #expect(throws: StoreError.self) { try await open(directory) }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["note.txt"])
            }
            try await withDirectory { directory in
                let file = directory.appending(path: "data.mdb")
                try Data(repeating: 7, count: 8_192).write(to: file)
                let error = await #expect(throws: StoreError.self) { try await open(directory) }
                #expect(error?.code == .notAStore)
                #expect(try Data(contentsOf: file) == Data(repeating: 7, count: 8_192))
            }
            try await withDirectory { directory in
                try Self.putForeignKey(in: directory.path)
                let error = await #expect(throws: StoreError.self) { try await open(directory) }
                #expect(error?.code == .notAStore)
            }
        }

        private func open(_ directory: URL) async throws -> any Store {
            try await LMDBHarness().open(
                directory.path, try Schema(version: SchemaVersion(1), entities: []), OpenOptions(),
                .seconds(5))
        }

        /// Writes a key as another program would.
        private static func putForeignKey(in path: String) throws {
            var environment: OpaquePointer?
            var transaction: OpaquePointer?
            var database = MDB_dbi()
            mdb_env_create(&environment)
            defer { mdb_env_close(environment) }
            try #require(mdb_env_open(environment, path, 0, 0o600) == 0)
            try #require(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
            try #require(mdb_dbi_open(transaction, nil, 0, &database) == 0)
            var bytes: [UInt8] = [9, 9]
            let status = bytes.withUnsafeMutableBytes { bytes in
                var key = MDB_val(mv_size: 2, mv_data: bytes.baseAddress)
                var value = MDB_val(mv_size: 2, mv_data: bytes.baseAddress)
                return mdb_put(transaction, database, &key, &value, 0)
            }
            try #require(status == 0)
            try #require(mdb_txn_commit(transaction) == 0)
        }

        private func withDirectory(_ body: (URL) async throws -> Void) async throws {
            let directory = FileManager.default.temporaryDirectory.appending(
                path: "switchyard-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            try await body(directory)
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Runs a test by night, since it takes minutes.
        static var nightly: Self {
            .enabled(
                if: ProcessInfo.processInfo.environment["SWITCHYARD_TEST_NIGHTLY"] != nil,
                "takes minutes: .ci/nightly runs it, as does SWITCHYARD_TEST_NIGHTLY=1 Tests/run")
        }
    }

    /// The backend that LMDB is held against.
    private struct MemoryHarness: ConformanceHarness {
        let name = MemoryPlugin.scheme
        let limitations = MemoryPlugin.limitations

        func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
            MemoryStore(schema: schema, busyTimeout: busyTimeout)
        }

        func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
            .impossible(reason: "Only the store itself can reach its rows in memory.")
        }
    }
#else
    @Suite("The contract on LMDB")
    struct ContractTests {
        @Test("LMDB keeps", .disabled("LMDB is not installed: install liblmdb-dev."))
        func contract() {}
    }
#endif
