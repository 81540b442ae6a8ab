internal import Switchyard
internal import SwitchyardCore

/// Shrinks a failing scenario: first to fewer operations (delta debugging: Zeller and Hildebrandt, "Simplifying and
/// isolating failure-inducing input", 2002), then to simpler ones, then to a smaller schema.
struct Shrinker: Sendable {
    let harnesses: [any ConformanceHarness]
    /// The maximum number of attempts, and the maximum time.
    var mostAttempts = 600
    var mostTime = Duration.seconds(90)

    private struct Progress {
        var scenario: Scenario
        var difference: Difference
        var attempts: Int
        let end: ContinuousClock.Instant
        var isOver: Bool { attempts <= 0 || ContinuousClock.now >= end }
    }

    /// Shrinks a scenario.
    ///
    /// - Returns: The smallest scenario found that still leads to a difference, at its last step.
    func shrink(_ scenario: Scenario, _ difference: Difference) async -> (Scenario, Difference) {
        var progress = Progress(
            scenario: scenario, difference: difference, attempts: mostAttempts,
            end: ContinuousClock.now + mostTime)
        progress.scenario.steps.removeSubrange((difference.step + 1)...)
        var before = Int.max
        // A smaller operation or schema can make others unnecessary.
        while before > progress.scenario.size, !progress.isOver {
            before = progress.scenario.size
            await dropSteps(&progress)
            await dropPairs(&progress)
            await shrinkSteps(&progress)
            await shrinkSchema(&progress)
            _ = await accept(progress.scenario.withOneOpening, &progress)
        }
        return (progress.scenario, progress.difference)
    }

    private func dropSteps(_ progress: inout Progress) async {
        var chunk = max(1, progress.scenario.steps.count / 2)
        while true {
            var start = 0
            while start < progress.scenario.steps.count, progress.scenario.steps.count > 1 {
                var smaller = progress.scenario
                smaller.steps.removeSubrange(start..<min(start + chunk, smaller.steps.count))
                if smaller.steps.isEmpty {
                    start += chunk
                } else if await !accept(smaller, &progress) {
                    start += chunk
                }
            }
            guard chunk > 1 else { return }
            chunk /= 2
        }
    }

    /// Drops two steps at once where neither can be dropped alone, such as an insert and the reference to it.
    private func dropPairs(_ progress: inout Progress) async {
        var (first, second) = (0, 1)
        while second < progress.scenario.steps.count, progress.scenario.steps.count <= 12 {
            var smaller = progress.scenario
            smaller.steps.remove(at: second)
            smaller.steps.remove(at: first)
            if !smaller.steps.isEmpty, await accept(smaller, &progress) {
                (first, second) = (0, 1)
            } else {
                second += 1
            }
            if second >= progress.scenario.steps.count { (first, second) = (first + 1, first + 2) }
        }
    }

    private func shrinkSteps(_ progress: inout Progress) async {
        var index = 0
        while index < progress.scenario.steps.count {
            var isSmaller = true
            while isSmaller {
                isSmaller = false
                guard index < progress.scenario.steps.count else { return }
                for operation in progress.scenario.steps[index].operation.smaller {
                    var smaller = progress.scenario
                    smaller.steps[index].operation = operation
                    isSmaller = await accept(smaller, &progress)
                    if isSmaller || progress.isOver { break }
                }
            }
            index += 1
        }
    }

    private func shrinkSchema(_ progress: inout Progress) async {
        for entity in progress.scenario.schema.entities {
            guard !(await accept(progress.scenario.without(entity: entity.name), &progress)) else { continue }
            _ = await accept(progress.scenario.without(constraints: true, of: entity.name), &progress)
            _ = await accept(progress.scenario.without(constraints: false, of: entity.name), &progress)
            for attribute in entity.attributes.dropFirst() {
                _ = await accept(
                    progress.scenario.without(attribute: attribute.name, of: entity.name), &progress)
            }
        }
    }

    /// Accepts a smaller scenario if it leads to a difference, too.
    private func accept(_ smaller: Scenario?, _ progress: inout Progress) async -> Bool {
        guard let smaller, !progress.isOver else { return false }
        progress.attempts -= 1
        guard let difference = try? await smaller.run(on: harnesses) else { return false }
        progress.scenario = smaller
        progress.scenario.steps.removeSubrange((difference.step + 1)...)
        progress.difference = difference
        return true
    }
}

extension Scenario {
    /// The size of the scenario for a reader.
    fileprivate var size: Int { description.utf8.count }

    /// The scenario without an entity; nil if it is needed.
    fileprivate func without(entity name: String) -> Scenario? {
        guard !steps.contains(where: { $0.operation.entities.contains(name) }) else { return nil }
        var smaller = self
        let left = schema.entities.filter { $0.name != name }
        guard !left.isEmpty, let schema = try? Schema(version: schema.version, entities: left) else {
            return nil
        }
        smaller.schema = schema
        return smaller
    }

    /// The scenario without the constraints or the indexes of an entity.
    fileprivate func without(constraints: Bool, of name: String) -> Scenario? {
        guard let entity = schema.entity(name),
            !(constraints ? entity.uniqueConstraints.isEmpty : entity.indexes.isEmpty)
        else { return nil }
        return changing { entity in
            guard entity.name == name else { return entity }
            return Entity(
                name, attributes: entity.attributes, relationships: entity.relationships,
                indexes: constraints ? entity.indexes : [],
                uniqueConstraints: constraints ? [] : entity.uniqueConstraints)
        }
    }

    /// The scenario in which one opening executes everything; nil if it does already.
    fileprivate var withOneOpening: Scenario? {
        guard steps.contains(where: { $0.opening != 0 }) else { return nil }
        var smaller = self
        for index in steps.indices { smaller.steps[index].opening = 0 }
        return smaller
    }

    /// The scenario without an attribute; nil if an operation names it.
    fileprivate func without(attribute: String, of name: String) -> Scenario? {
        guard let column = schema.entity(name)?.column(attribute),
            !steps.contains(where: { $0.operation.names(attribute) })
        else { return nil }
        var smaller = changing { entity in
            // A relationship is removed with its reference.
            let left = entity.relationships.filter { $0.target != name || $0.inverse != attribute }
            guard entity.name == name else {
                return Entity(
                    entity.name, attributes: entity.attributes, relationships: left,
                    indexes: entity.indexes, uniqueConstraints: entity.uniqueConstraints)
            }
            return Entity(
                name, attributes: entity.attributes.filter { $0.name != attribute }, relationships: left,
                indexes: entity.indexes.filter { !$0.attributes.contains(attribute) },
                uniqueConstraints: entity.uniqueConstraints.filter { !$0.attributes.contains(attribute) })
        }
        smaller?.steps = steps.map {
            Step(
                operation: $0.operation.without(column: column, of: name), opening: $0.opening,
                side: $0.side)
        }
        return smaller
    }

    private func changing(_ change: (Entity) -> Entity) -> Scenario? {
        // A schema that lacks something its other parts need is refused.
        guard let schema = try? Schema(version: schema.version, entities: schema.entities.map(change)) else {
            return nil
        }
        var smaller = self
        smaller.schema = schema
        return smaller
    }
}
