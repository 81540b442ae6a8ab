internal import Foundation
package import Switchyard
internal import SwitchyardCore

/// Three rows of any entity, with ids and values that tests are likely to use as well.
package enum SampleRows {
    /// The rows of an entity, in order of their ids; in the second one every optional attribute is nil.
    ///
    /// The rows of a schema's entities fit together: each reference points to the row with the same number.
    package static func of(_ entity: Entity) -> [[StoredValue]] {
        let ids = RandomValue.uuids.sorted().prefix(3)
        return zip(1..., ids).map { number, id in
            entity.attributes.map { attribute in
                if attribute.name == "id" || attribute.reference != nil { return .uuid(id) }
                return number == 2 && attribute.isOptional ? .null : value(of: attribute, number)
            }
        }
    }

    private static func value(of attribute: Attribute, _ number: Int) -> StoredValue {
        if let cases = attribute.cases, !cases.isEmpty { return cases[number % cases.count] }
        switch attribute.type {
        case .bool: return .bool(number == 1)
        case .int:
            guard case .integers(let range) = attribute.domain else { return .int(Int64(number)) }
            let fitting = Int64(number - 1)
            return .int(range.contains(fitting) ? fitting : range.lowerBound + fitting)
        case .double: return .double(Double(number))
        case .decimal: return .decimal(Decimal(number))
        case .text: return .text(["a", "b", "c"][number - 1])
        case .blob: return .blob(Data([UInt8(number)]))
        case .uuid: return .uuid(RandomValue.uuids[number])
        case .timestamp: return .timestamp(Int64(number) * 1_000_000)
        case .day: return CalendarDay(daysSince1970: number).map { .day($0) } ?? .null
        case .json: return .json("[\(number)]")
        }
    }
}
