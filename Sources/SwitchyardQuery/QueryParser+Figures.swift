internal import Foundation
internal import SwitchyardCore

extension QueryParser {
    /// Reads the figures that a query asks for instead of rows.
    mutating func figures(of query: inout StoredQuery, _ entity: Entity) throws {
        var figures = query.figures ?? Figures()
        figures.functions = try list { try $0.figure(in: entity) }
        query.figures = figures
    }

    private mutating func figure(in entity: Entity) throws -> AggregateFunction {
        guard case .name(let name, isQuoted: false) = token.kind,
            AggregateFunction.words.contains(name.lowercased())
        else { throw unexpected("a figure, such as count,") }
        let word = try self.name("a figure").lowercased()
        guard try skip(.open) else { return try function(word, of: nil, in: entity) }
        let attribute = try own(try path("an attribute"), of: entity)
        let function = try function(word, of: attribute, in: entity)
        try require(.close)
        return function
    }

    /// Reads the comparisons of figures that groups fulfil.
    mutating func having(_ entity: Entity) throws -> [GroupChoice.Test] {
        var tests: [GroupChoice.Test] = []
        repeat {
            try countComparison()
            let function = try figure(in: entity)
            guard case .symbol(let symbol) = token.kind,
                let comparison = Comparison.allCases.first(where: { $0.symbol == symbol })
            else { throw unexpected("an operator, such as >,") }
            try advance()
            let attribute = Attribute(function.title(), type: function.type(in: entity) ?? .int)
            let path = ResolvedPath(
                references: [], entity: entity, attribute: attribute, operand: .attribute(attribute.name))
            tests.append(GroupChoice.Test(function, comparison, try value(for: path, isExact: false)))
        } while try skip(.and)
        return tests
    }

    /// Reads the figures by which groups are sorted.
    mutating func groupOrder(_ entity: Entity) throws -> [GroupChoice.Order] {
        try list { parser in
            let function = try parser.figure(in: entity)
            let (direction, nils) = try parser.direction()
            return GroupChoice.Order(function, direction, nils: nils)
        }
    }

    /// Reads a key of groups: an attribute, or a part of a time and the zone whose clock shows it.
    mutating func groupKey(in entity: Entity) throws -> FigureKey {
        var path = try path("an attribute")
        let part = path.references.isEmpty ? FigureKey.Part(word: path.last.name) : nil
        guard let part, try skip(.open) else {
            return FigureKey(try attributePath(path, in: entity), part: nil, zone: nil)
        }
        path = try self.path("an attribute")
        let attribute = try resolve(path, in: entity)
        guard attribute.type == .timestamp else {
            throw error(
                .wrongType,
                "\(attribute.name) is of type \(attribute.type); only a time has a part such as \(part.rawValue).",
                at: path.last.token)
        }
        let zone = try skip(.in) ? try zone() : nil
        try require(.close)
        return FigureKey(try attributePath(path, in: entity), part: part, zone: zone)
    }

    private func attributePath(_ path: Path, in entity: Entity) throws -> AttributePath {
        let resolved = try resolve(path, in: entity)
        return AttributePath(references: resolved.references, attribute: resolved.attribute.name)
    }

    /// Reads the name of a time zone.
    private mutating func zone() throws -> String {
        guard case .text(let name) = token.kind else { throw unexpected("a time zone in quotes") }
        guard TimeZone(identifier: name) != nil else {
            throw error(
                .unknownName, "There is no time zone \(excerpt(token)). Write one such as \"Europe/Berlin\".",
                at: token)
        }
        try advance()
        return name
    }

    /// The figure of a word over an attribute.
    func function(_ word: String, of step: Step?, in entity: Entity) throws -> AggregateFunction {
        guard let step else {
            guard word == "count" else {
                throw error(.syntax, "`\(word)` needs an attribute, as in `\(word)(amount)`.", at: token)
            }
            return .count
        }
        let attribute = try attribute(step, of: entity)
        func require(_ isFit: Bool, _ action: String) throws {
            guard !isFit else { return }
            throw error(
                .wrongType,
                "\(entity.name).\(attribute.name) is of type \(attribute.type), which has no \(action).",
                at: step.token)
        }
        switch word {
        case "count": return .countOf(attribute.name)
        case "distinct": return .countDistinct(attribute.name)
        case "minimum", "maximum":
            try require(attribute.type != .json, word)
            return word == "minimum" ? .minimum(attribute.name) : .maximum(attribute.name)
        default:
            try require([.int, .double, .decimal].contains(attribute.type), word)
            switch word {
            case "sum": return .sum(attribute.name)
            case "median": return .percentile(attribute.name, 0.5)
            default: return .average(attribute.name)
            }
        }
    }

    /// The single name of a path that must not lead over references.
    private func own(_ path: Path, of entity: Entity) throws -> Step {
        guard path.references.isEmpty else {
            throw error(
                .syntax, "Figures are over attributes of \(entity.name) itself.",
                at: path.last.token)
        }
        return path.last
    }
}

extension AggregateFunction {
    /// The words of all figures.
    static let words = ["count", "distinct", "sum", "average", "median", "minimum", "maximum"]
}
