internal import Switchyard
internal import SwitchyardCore

/// A schema and operations on its rows, whose answers must be the same on every backend.
struct Scenario: Sendable, CustomStringConvertible {
    var schema: Schema
    var steps: [Step]

    /// One operation, with the opening and the scope of a place in which it is executed.
    struct Step: Sendable {
        var operation: RandomOperation
        var opening: Int
        var side: Int
    }

    /// Draws a scenario.
    ///
    /// - Parameters:
    ///   - operations: The number of operations.
    ///   - sides: The number of scopes of a place in which they are executed, side by side.
    ///   - generator: The source of randomness.
    /// - Throws: `schemaInvalid` if the schema that is drawn is invalid.
    init(operations: Int, sides: Int = 1, using generator: inout SeededGenerator) throws {
        schema = try RandomSchema.make(using: &generator)
        let drawn = RandomOperations(schema: schema)
        steps = (0..<operations).map { _ in
            Step(
                operation: drawn.make(using: &generator), opening: generator.below(2),
                side: sides > 1 ? generator.below(sides) : 0)
        }
    }

    /// The schema without its fingerprint, and the operations, one per line.
    var description: String {
        let operations = steps.enumerated().map { index, step in
            "\(index + 1). \(step.operation.text(schema))\(step.opening == 1 ? " [second opening]" : "")"
                + (step.side == 1 ? " [other scope]" : "")
        }
        return (schema.description.split(separator: "\n").dropFirst().map(String.init) + operations)
            .joined(separator: "\n")
    }

    /// Executes the steps on empty stores of all backends.
    ///
    /// - Parameters:
    ///   - harnesses: The backends; the others are compared with the first.
    ///   - answered: Called with the kind of answer of each step.
    /// - Returns: The first difference; nil if all answers are equal.
    /// - Throws: The error of creating a store.
    func run(
        on harnesses: [any ConformanceHarness], answered: (String) -> Void = { _ in }
    ) async throws -> Difference? {
        var places: [OpenPlace] = []
        do {
            let sides = 1 + (steps.map(\.side).max() ?? 0)
            for harness in harnesses { places.append(try await OpenPlace(harness, schema, sides: sides)) }
            var difference = await run(on: places, answered: answered)
            for place in places where difference == nil {
                guard let (found, expected) = try await place.rowsBeside(), found != expected else {
                    continue
                }
                difference = Difference(
                    harness: place.harness, step: steps.count - 1,
                    subject: "the rows of a scope with which nothing was done, at the end",
                    expected: expected, found: found)
            }
            for place in places { await place.dispose() }
            return difference
        } catch {
            for place in places { await place.dispose() }
            throw error
        }
    }

    private func run(on places: [OpenPlace], answered: (String) -> Void) async -> Difference? {
        for (index, step) in steps.enumerated() {
            func differing(_ place: OpenPlace, _ subject: String, _ expected: String, _ found: String)
                -> Difference
            {
                Difference(
                    harness: place.harness, step: index, subject: subject, expected: expected, found: found)
            }
            let expected = await places[0].answer(to: step)
            answered(expected.kind)
            for place in places.dropFirst() {
                let found = await place.answer(to: step)
                guard found == expected else { return differing(place, "the answer", expected, found) }
            }
            guard step.operation.writes else { continue }
            let changes = await places[0].changes(by: step)
            guard !changes.hasPrefix(HistoryWatch.fault) else {
                return differing(
                    places[0], "the history", "the changes between the rows before and after", changes)
            }
            for place in places.dropFirst() {
                let found = await place.changes(by: step)
                // A place that could not look has the rows of the last look.
                guard found.hasPrefix(OpenPlace.failure) || place.hasSameRows(as: places[0]) else {
                    return differing(place, "the rows", places[0].rowsAsText, place.rowsAsText)
                }
                guard found == changes else { return differing(place, "the history", changes, found) }
            }
        }
        return nil
    }
}

/// A difference between two backends.
struct Difference: Sendable {
    let harness: any ConformanceHarness
    /// The index of the step.
    let step: Int
    /// What differs: the answer or the rows.
    let subject: String
    let expected: String
    let found: String
}

/// A place with its openings: two for each scope if the backend can open it twice.
///
/// Scopes of one store are used like separate stores of a backend without scopes.
private struct OpenPlace: Sendable {
    /// The beginning of an answer that reports an error.
    static let failure = "failed with"

    let harness: any ConformanceHarness
    /// The openings by scope.
    private var sides: [[any Store]] = []
    /// The stores that were created, and those that were opened again.
    private var (made, reopened): ([any Store], [any Store]) = ([], [])
    private var watches: [HistoryWatch] = []

    init(_ harness: any ConformanceHarness, _ schema: Schema, sides count: Int) async throws {
        self.harness = harness
        do {
            for side in 0..<count {
                try await open(schema, in: StoreScope())
                watches.append(try await HistoryWatch(sides[side][0]))
            }
        } catch {
            await dispose()
            throw error
        }
    }

    private mutating func open(_ schema: Schema, in scope: StoreScope) async throws {
        guard let harness = harness as? ScopedHarness, let first = made.first else {
            let store = try await harness.makeStore(schema, busyTimeout: .seconds(60))
            made.append(store)
            sides.append([store])
            guard harness.limitations[.durability] == nil else { return }
            reopened.append(
                try await harness.reopen(
                    store, schema: schema, options: OpenOptions(), busyTimeout: .seconds(60)))
            sides[sides.count - 1] += reopened.suffix(1)
            return
        }
        for _ in 0..<2 {
            reopened.append(
                try await harness.reopen(
                    first, schema: schema, options: OpenOptions(scope: scope), busyTimeout: .seconds(60)))
        }
        sides.append(reopened.suffix(2))
    }

    func answer(to step: Scenario.Step) async -> String {
        do { return try await step.operation.answer(from: opening(step, step.opening)) } catch {
            return "\(Self.failure) \(error)"
        }
    }

    /// Whether it had the same rows in all scopes when their histories were last looked at.
    func hasSameRows(as other: OpenPlace) -> Bool {
        zip(watches, other.watches).allSatisfy { $0.rows.isSame(as: $1.rows) }
    }

    /// Those rows in canonical form.
    var rowsAsText: String {
        watches.map { watch in
            watch.rows.sorted { $0.key < $1.key }.map { entity, rows in
                "\(entity) \(RandomOperation.canonical(rows.sorted { $0.key < $1.key }.map(\.value)))"
            }.joined(separator: "\n")
        }.joined(separator: "\nand in the other scope\n")
    }

    /// What the history of each scope says of a step, as the other openings see it.
    func changes(by step: Scenario.Step) async -> String {
        do {
            var all: [String] = []
            for (watch, openings) in zip(watches, sides) {
                all.append(try await watch.changes(in: openings[(step.opening + 1) % openings.count]))
            }
            return all.first { $0.hasPrefix(HistoryWatch.fault) }
                ?? all.joined(separator: "\nand in the other scope\n")
        } catch {
            return "\(Self.failure) \(error)"
        }
    }

    /// The rows of the untouched scope, if the harness has put any there, and the rows expected.
    func rowsBeside() async throws -> (found: String, expected: String)? {
        guard let harness = harness as? ScopedHarness, let store = made.first,
            let found = try await harness.rowsBeside(store)
        else { return nil }
        func text(_ rows: (Entity) -> [[StoredValue]]) -> String {
            store.schema.entities.map { "\($0.name) \(RandomOperation.canonical(rows($0)))" }
                .joined(separator: "\n")
        }
        return (text { found[$0.name] ?? [] }, text(SampleRows.of))
    }

    func dispose() async {
        for store in reopened { try? await store.close() }
        for store in made { await harness.dispose(store) }
    }

    private func opening(_ step: Scenario.Step, _ number: Int) -> any Store {
        let openings = sides[step.side]
        return openings[number % openings.count]
    }
}

extension HistoryWatch.Rows {
    /// Whether they are the same rows, in which −0 differs from 0.
    fileprivate func isSame(as other: HistoryWatch.Rows) -> Bool {
        count == other.count
            && allSatisfy { entity, rows in
                rows.count == other[entity]?.count
                    && rows.allSatisfy { id, row in
                        other[entity]?[id].map { zip(row, $0).allSatisfy { $0.isSame(as: $1) } } ?? false
                    }
            }
    }
}

extension StoredValue {
    fileprivate func isSame(as other: StoredValue) -> Bool {
        if case (.double(let one), .double(let two)) = (self, other) {
            one.bitPattern == two.bitPattern
        } else {
            self == other
        }
    }
}

extension String {
    /// The kind of answer, without its numbers.
    fileprivate var kind: String {
        if contains("; ") { return "several" }
        if hasPrefix("error") || self == "undone" { return self }
        if hasSuffix("]") { return self == "[]" ? "no rows" : "rows" }
        return String(split(separator: " ").last ?? "")
    }
}
