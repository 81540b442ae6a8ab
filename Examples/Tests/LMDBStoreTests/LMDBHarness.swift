#if LMDB
    import Foundation
    @testable import LMDBStore
    import SwitchyardConformance
    import SwitchyardCore

    /// Gives the suite access to LMDB.
    struct LMDBHarness: ConformanceHarness {
        let name = LMDBPlugin.scheme
        let limitations = LMDBPlugin.limitations

        static let hidden = "The bytes of a row have no structure that others know."
        static let unconnected = "A file has no connections that could break."

        func makeStore(_ schema: Schema, busyTimeout: Duration) async throws -> any Store {
            let path = FileManager.default.temporaryDirectory.appending(
                path: "switchyard-\(UUID().uuidString)"
            ).path
            return try await open(path, schema, OpenOptions(), busyTimeout)
        }

        func reopen(
            _ store: any Store, schema: Schema, options: OpenOptions, busyTimeout: Duration
        ) async throws -> any Store {
            try await open(store.info.location, schema, options, busyTimeout)
        }

        func dispose(_ store: any Store) async {
            try? await store.close()
            try? FileManager.default.removeItem(atPath: store.info.location)
        }

        func open(
            _ path: String, _ schema: Schema, _ options: OpenOptions, _ busyTimeout: Duration
        ) async throws -> any Store {
            try await LMDBPlugin.open(
                try StoreSettings(
                    ["path": path, "busyTimeout": "\(busyTimeout / .seconds(1))"], for: LMDBPlugin.self),
                schema: schema, options: options)
        }

        func plant(_ fault: PlantedFault, in store: any Store) async throws -> Intervention {
            .impossible(reason: Self.hidden)
        }

        func replaceMarker(by json: String, in store: any Store) async throws -> Intervention {
            try LMDBStorage(store.info.location, options: OpenOptions()).write { rows in
                try rows.put(Array(json.utf8), for: [0, 0])
            }
            return .done
        }

        func ageOperations(of store: any Store, by age: Duration) async throws -> Intervention {
            try LMDBStorage(store.info.location, options: OpenOptions()).write { rows in
                var operations: [(key: [UInt8], value: [UInt8])] = []
                let keys = ClosedKeyRange([0, 2], [0, 2] + Array(repeating: 0xFF, count: 16))
                try rows.scan(keys, .ascending) { key, value in
                    operations.append((key, value))
                    return true
                }
                for (key, value) in operations {
                    // The time is the first integer of a recorded operation.
                    let time = value.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
                    let older = (time - age.components.seconds).littleEndian
                    try rows.put(withUnsafeBytes(of: older) { Array($0) } + value.dropFirst(8), for: key)
                }
            }
            return .done
        }

        func change(_ change: StructureChange, under store: any Store) async throws -> Intervention {
            .impossible(reason: Self.hidden)
        }

        /// Holds the directory's lock through a descriptor of its own, as another process would.
        func whileLocked(_ store: any Store, _ work: LockedWork) async throws -> Intervention {
            let descriptor = Foundation.open(store.info.location, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { Foundation.close(descriptor) }
            guard flock(descriptor, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
            try await work()
            return .done
        }

        func cutConnections(of store: any Store) async throws -> Intervention {
            .impossible(reason: Self.unconnected)
        }

        func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Intervention {
            .impossible(reason: Self.unconnected)
        }
    }
#endif
