internal import Switchyard
internal import SwitchyardCore

/// A schema and operations on its rows, which lead to the same answers on every backend.
struct Scenario: Sendable, CustomStringConvertible {
    var schema: Schema
    var steps: [Step]

    /// One operation, and which of a place's openings carries it out.
    struct Step: Sendable {
        var operation: RandomOperation
        var opening: Int
    }

    init(operations: Int, using generator: inout SeededGenerator) throws {
        schema = try RandomSchema.make(using: &generator)
        let drawn = RandomOperations(schema: schema)
        steps = (0..<operations).map { _ in
            Step(operation: drawn.make(using: &generator), opening: generator.below(2))
        }
    }

    /// The schema without its fingerprint, and the operations, one a line.
    var description: String {
        let operations = steps.enumerated().map { index, step in
            "\(index + 1). \(step.operation.text(schema))\(step.opening == 1 ? " [second opening]" : "")"
        }
        return (schema.description.split(separator: "\n").dropFirst().map(String.init) + operations)
            .joined(separator: "\n")
    }

    /// Carries the steps out on empty stores of all backends.
    ///
    /// - Parameters:
    ///   - harnesses: The backends; the first is the one that the others are held against.
    ///   - answered: Told what kind of answer each step had.
    /// - Returns: The first difference; nil if there is none.
    /// - Throws: What making a store throws.
    func run(
        on harnesses: [any ConformanceHarness], answered: (String) -> Void = { _ in }
    ) async throws -> Difference? {
        var places: [OpenPlace] = []
        do {
            for harness in harnesses { places.append(try await OpenPlace(harness, schema)) }
            let difference = await run(on: places, answered: answered)
            for place in places { await place.dispose() }
            return difference
        } catch {
            for place in places { await place.dispose() }
            throw error
        }
    }

    private func run(on places: [OpenPlace], answered: (String) -> Void) async -> Difference? {
        for (index, step) in steps.enumerated() {
            var subjects: [(String, (OpenPlace) async -> String)] = [
                ("the answer", { await $0.answer(to: step) })
            ]
            if step.operation.writes { subjects.append(("the rows", { await $0.rows(after: step) })) }
            for (number, (subject, ask)) in subjects.enumerated() {
                let expected = await ask(places[0])
                if number == 0 { answered(expected.kind) }
                for place in places.dropFirst() {
                    let found = await ask(place)
                    guard found == expected else {
                        return Difference(
                            harness: place.harness, step: index, subject: subject, expected: expected,
                            found: found)
                    }
                }
            }
        }
        return nil
    }
}

/// Where two backends differ.
struct Difference: Sendable {
    let harness: any ConformanceHarness
    /// The index of the step.
    let step: Int
    /// What differs: the answer or the rows.
    let subject: String
    let expected: String
    let found: String
}

/// A place with its openings: two if the backend can open it twice.
private struct OpenPlace: Sendable {
    let harness: any ConformanceHarness
    private let openings: [any Store]

    init(_ harness: any ConformanceHarness, _ schema: Schema) async throws {
        self.harness = harness
        let first = try await harness.makeStore(schema, busyTimeout: .seconds(60))
        guard harness.limitations[.durability] == nil else {
            openings = [first]
            return
        }
        do {
            openings = [first, try await harness.reopen(first, schema: schema, options: OpenOptions())]
        } catch {
            await harness.dispose(first)
            throw error
        }
    }

    func answer(to step: Scenario.Step) async -> String {
        do { return try await step.operation.answer(from: opening(step.opening)) } catch {
            return "failed with \(error)"
        }
    }

    /// All rows in canonical form, as the other opening sees them.
    func rows(after step: Scenario.Step) async -> String {
        do {
            return try await opening(step.opening + 1).read { tx in
                try tx.schema.entities.map { entity in
                    "\(entity.name) \(try RandomOperation.canonical(try tx.fetchRows(of: entity.name)))"
                }.joined(separator: "\n")
            }
        } catch {
            return "failed with \(error)"
        }
    }

    func dispose() async {
        for opening in openings.dropFirst() { try? await opening.close() }
        await harness.dispose(openings[0])
    }

    private func opening(_ number: Int) -> any Store { openings[number % openings.count] }
}

extension String {
    /// What kind of answer this is, without its numbers.
    fileprivate var kind: String {
        if contains("; ") { return "several" }
        if hasPrefix("error") || self == "undone" { return self }
        if hasSuffix("]") { return self == "[]" ? "no rows" : "rows" }
        return String(split(separator: " ").last ?? "")
    }
}
