internal import Foundation
internal import Switchyard
internal import SwitchyardCore

/// JSON that the models of a version can read, for each attribute that is stored as JSON.
///
/// A schema does not record the type of such an attribute; its model shows it by reading a value.
struct JSONSamples: Sendable {
    private static let candidates = ["{}", "[]", "\"\"", "0", "true"]

    private var texts: [String: [String: String]] = [:]

    /// Tries what the models read.
    init(_ models: [any Model.Type]) {
        for model in models { add(model) }
    }

    /// The JSON of an attribute; an empty object for one whose model reads none of the candidates.
    func text(of attribute: Attribute, in entity: Entity) -> String {
        texts[entity.name]?[attribute.name] ?? Self.candidates[0]
    }

    private mutating func add<Element: Model>(_: Element.Type) {
        guard let entity = try? Element.entity.get() else { return }
        var row = entity.attributes.map(\.plainValue)
        for (place, attribute) in entity.attributes.enumerated() where attribute.type == .json {
            let declared = [attribute.defaultValue].compactMap { value -> String? in
                if case .json(let text) = value { text } else { nil }
            }
            for text in declared + Self.candidates {
                row[place] = .json(text)
                guard Self.reads(row, place, entity, Element.self) else { continue }
                texts[entity.name, default: [:]][attribute.name] = text
                break
            }
        }
    }

    /// Whether a model reads a row as far as an attribute, and that too.
    private static func reads<Element: Model>(
        _ row: [StoredValue], _ place: Int, _ entity: Entity, _: Element.Type
    ) -> Bool {
        do {
            var writer = RowWriter(context: entity.errorContext)
            for value in row { try writer.write(value) }
            _ = try writer.withReader { try Element(from: &$0) }
            return true
        } catch let error as StoreError {
            let failed = entity.attributes.firstIndex { $0.name == error.attribute }
            return failed.map { $0 > place } ?? false
        } catch { return false }
    }
}

extension Attribute {
    /// A value that every model with such an attribute reads.
    fileprivate var plainValue: StoredValue {
        if isOptional { return .null }
        if let first = cases?.first { return first }
        return switch type {
        case .bool: .bool(false)
        case .int: .int(0)
        case .double: .double(0)
        case .decimal: .decimal(0)
        case .text: .text("")
        case .blob: .blob(Data())
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .timestamp: .timestamp(0)
        case .day: CalendarDay(daysSince1970: 0).map { .day($0) } ?? .null
        case .json: .json("{}")
        }
    }
}
