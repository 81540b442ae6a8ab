import Foundation
import PostgresTestServer
import Switchyard
import SwitchyardConformance

/// Writers to many scopes of one store on PostgreSQL, whose COMMITs are held up, and readers who follow each scope.
struct FeedRace: Sendable {
    /// What the readers follow.
    enum Feed: Sendable {
        /// The history of the store.
        case history
        /// Numbers that rows get from a SEQUENCE: a greater one can be committed first.
        case sequence
    }

    let feed: Feed
    let check = FeedCheck()
    private let store: any Store
    private let scopes: [StoreScope]
    private let report: Report

    /// Creates a store with a feed.
    init(_ feed: Feed, at url: String, schema: String, scopes count: Int, report: Report) async throws {
        self.feed = feed
        self.report = report
        scopes = (0..<count).map { _ in StoreScope() }
        store = try await Backends.open(
            "\(url)&schema=\(schema)&poolSize=48", MarkSchema.self, keepsHistory: feed == .history,
            scope: scopes[0])
        // A deferred trigger runs in the COMMIT, when the place in the feed is taken.
        try await PostgresServer.administer(
            """
            CREATE FUNCTION \(schema).pause() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_sleep(NEW.pause / 1e6::float8); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER pause AFTER INSERT ON \(schema)."Mark" DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION \(schema).pause();
            """)
        guard feed == .sequence else { return }
        try await PostgresServer.administer(
            """
            CREATE SEQUENCE \(schema).places;
            CREATE FUNCTION \(schema).place() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN NEW.position := nextval('\(schema).places'); RETURN NEW; END $$;
            CREATE TRIGGER place BEFORE INSERT ON \(schema)."Mark"
                FOR EACH ROW EXECUTE FUNCTION \(schema).place();
            """)
    }

    func close() async throws { try await store.close() }

    /// Lets writers write for a while, and readers read until they have read everything.
    ///
    /// - Parameters:
    ///   - seed: Decides the scope and the pause of each write.
    ///   - writers: The number of writers.
    ///   - places: Where the readers of the scopes stand, which they continue from.
    ///   - goesOn: Whether there is to be another write after so many that were committed.
    /// - Returns: Where the readers stand.
    /// - Throws: What a read throws.
    func run(
        seed: UInt64, writers: Int, from places: [Place]? = nil,
        while goesOn: @escaping @Sendable (Int) -> Bool
    ) async throws -> [Place] {
        let isOver = Latch()
        let readers = 5
        let start = places ?? Array(repeating: Place(), count: scopes.count)
        return try await withThrowingTaskGroup(of: [Int: Place].self) { reading in
            for reader in 0..<readers {
                let own = scopes.indices.filter { $0 % readers == reader }
                reading.addTask {
                    try await follow(own, from: start, until: isOver, seed: seed &+ UInt64(1_000 + reader))
                }
            }
            await withTaskGroup(of: Void.self) { writing in
                for writer in 0..<writers {
                    writing.addTask { await write(seed: seed &+ UInt64(writer), while: goesOn) }
                }
            }
            isOver.raise()
            var ends = start
            for try await places in reading {
                for (scope, place) in places { ends[scope] = place }
            }
            return ends
        }
    }

    private func write(seed: UInt64, while goesOn: (Int) -> Bool) async {
        var generator = SeededGenerator(seed: seed)
        while goesOn(check.committed) {
            let scope = Int.random(in: scopes.indices, using: &generator)
            let isHeldUp = Bool.random(using: &generator)
            let mark = Mark(position: 0, pause: isHeldUp ? Int.random(in: 0...20_000, using: &generator) : 0)
            check.begin(mark.id.uuid, in: scope)
            do {
                try await store.write(WriteOptions(scope: scopes[scope])) { _ = try $0.insert(mark) }
                check.end(mark.id.uuid, isCommitted: true)
            } catch let error as StoreError where [.serialization, .busy].contains(error.code) {
                check.end(mark.id.uuid, isCommitted: false)
                report.count("errors \(error.code)")
            } catch {
                return report.violation("a write failed with \(String(reflecting: error))")
            }
        }
    }
}

extension FeedRace {
    /// How far the reader of a scope has come, as it could be kept in a file.
    struct Place: Codable, Sendable {
        var token: HistoryToken?
        /// The number of the last transaction, or the position of the last row.
        var number: Int64 = 0
    }

    private func follow(
        _ own: [Int], from start: [Place], until isOver: Latch, seed: UInt64
    ) async throws -> [Int: Place] {
        var generator = SeededGenerator(seed: seed)
        var places = Dictionary(uniqueKeysWithValues: own.map { ($0, start[$0]) })
        while true {
            let isLast = isOver.isRaised
            for scope in own {
                var news: [UUID]
                repeat {
                    let limit = Int.random(in: 1...100, using: &generator)
                    let looksAtRows = Int.random(in: 0..<4, using: &generator) == 0
                    let place = try JSONDecoder().decode(
                        Place.self, from: JSONEncoder().encode(places[scope, default: Place()]))
                    (news, places[scope]) = try await store.read(ReadOptions(scopes: [scopes[scope]])) { tx in
                        if feed == .history, looksAtRows { try compareRows(tx) }
                        return switch feed {
                        case .history: try history(after: place, limit: limit, tx)
                        case .sequence: try rows(after: place, limit: limit, tx)
                        }
                    }
                    check.tell(news, of: scope)
                    report.count("reads")
                } while isLast && !news.isEmpty
            }
            if isLast { return places }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...2_000, using: &generator)))
        }
    }

    /// One snapshot has as many rows as the history that it ends has transactions.
    private func compareRows(_ tx: ReadTransaction) throws {
        let (rows, head) = (try tx.count(Mark.all), try tx.historyToken().sequence)
        if Int64(rows) != head {
            report.violation("a snapshot has \(rows) rows, and its history ends at \(head)")
        }
    }

    private func history(
        after place: Place, limit: Int, _ tx: ReadTransaction
    ) throws -> ([UUID], Place) {
        var place = place
        var ids: [UUID] = []
        for transaction in try tx.history(after: place.token, limit: limit) {
            if transaction.sequence != place.number + 1 {
                report.violation("transaction \(transaction.sequence) comes after \(place.number)")
            }
            place = Place(token: transaction.token, number: transaction.sequence)
            ids += try transaction.changes.all().map(\.id)
        }
        return (ids, place)
    }

    private func rows(after place: Place, limit: Int, _ tx: ReadTransaction) throws -> ([UUID], Place) {
        let last = Int(place.number)
        let rows = try tx.fetch(
            Mark.where(#Predicate { $0.position > last }).sorted(by: \.position).limit(limit))
        return (rows.map(\.id.uuid), Place(number: Int64(rows.last?.position ?? last)))
    }
}
