package import Switchyard
internal import Synchronization

/// What the harness does to a store from outside; each returns false and records the reason if it cannot.
extension Contract {
    package func plant(_ fault: PlantedFault, in store: any Store) async throws -> Bool {
        isDamaged.withLock { $0 = true }
        return try await attempt("a fault that is planted") {
            try await harness.plant(fault, in: Self.base(of: store))
        }
    }

    package func cutConnections(of store: any Store) async throws -> Bool {
        try await attempt("connections that are cut") {
            try await harness.cutConnections(of: Self.base(of: store))
        }
    }

    package func cutNextCommit(of store: any Store, _ moment: CommitCut) async throws -> Bool {
        try await attempt("a cut of the next commit") {
            try await harness.cutNextCommit(of: Self.base(of: store), moment)
        }
    }

    package func ageOperations(of store: any Store, by age: Duration) async throws -> Bool {
        try await attempt("operations that are aged") {
            try await harness.ageOperations(of: Self.base(of: store), by: age)
        }
    }

    package func replaceMarker(by json: String, in store: any Store) async throws -> Bool {
        isDamaged.withLock { $0 = true }
        return try await attempt("a marker that is replaced") {
            try await harness.replaceMarker(by: json, in: Self.base(of: store))
        }
    }

    package func change(_ change: StructureChange, under store: any Store) async throws -> Bool {
        isDamaged.withLock { $0 = true }
        return try await attempt("a change of the structure") {
            try await harness.change(change, under: Self.base(of: store))
        }
    }

    /// Does work while another process holds the write lock.
    package func whileLocked(
        _ store: any Store, _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> Bool {
        try await attempt("the lock of another process") {
            try await harness.whileLocked(Self.base(of: store), LockedWork(work))
        }
    }

    private func attempt(_ what: String, _ work: () async throws -> Intervention) async throws -> Bool {
        switch try await waits.during(what, work) {
        case .done: return true
        case .impossible(let reason):
            note(reason)
            return false
        }
    }
}
