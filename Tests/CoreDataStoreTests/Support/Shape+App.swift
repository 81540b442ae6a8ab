import Foundation
import SwitchyardCore

extension Shape {
    /// The SwiftData release of an app, whose models had the names of today, and three rows of each entity.
    ///
    /// The last row of each has no references.
    ///
    /// - Parameters:
    ///   - models: The app's entities of today.
    ///   - device: The number of a device: each has its own keys and its own store's UUID, and the same rows.
    ///   - identified: The entities that had a UUID named `id`; others are known by CloudKit's records.
    ///   - replaced: The attributes that they had instead of those of today, by entity.
    init(
        of models: [SwitchyardCore.Entity], device: Int64 = 0, identified: Set<String>,
        replacing replaced: [String: (added: [Attribute], removed: Set<String>)] = [:]
    ) {
        storeID = "0F6D7A63-0000-4000-8000-00000000000\(device)"
        records = identified.isSuperset(of: models.map(\.name)) ? nil : []
        for entity in models {
            let change = replaced[entity.name]
            var found = Entity(name: entity.name)
            if identified.contains(entity.name) {
                found.attributes.append(.init(name: "id", type: 1100, isOptional: false))
            }
            let kept = entity.attributes.dropFirst().filter { change?.removed.contains($0.name) != true }
            for attribute in kept where attribute.reference == nil {
                found.attributes.append(
                    .init(
                        name: attribute.name, type: attribute.type.coreDataNumber,
                        isOptional: attribute.isOptional))
            }
            found.attributes += change?.added ?? []
            for attribute in kept {
                guard let target = attribute.reference else { continue }
                let inverse = models.first { $0.name == target }?.relationships.first {
                    $0.target == entity.name && $0.inverse == attribute.name
                }
                found.relationships.append(
                    .init(name: attribute.name, destination: target, inverse: inverse?.name))
            }
            for relationship in entity.relationships
            where models.contains(where: { $0.name == relationship.target }) {
                found.relationships.append(
                    .init(
                        name: relationship.name, destination: relationship.target,
                        inverse: relationship.inverse,
                        isToMany: true, deleteRule: relationship.deleteRule == .cascade ? 2 : 1))
            }
            entities.append(found)
            for number in Int64(1)...3 {
                rows.append(row(number, of: found, entity, device: device))
                if !identified.contains(entity.name) {
                    // The last row was never uploaded.
                    let name = number < 3 ? "\(entity.name)-\(number)" : nil
                    records?.append(Record(entity: entity.name, key: rows[rows.count - 1].key, name: name))
                }
            }
        }
    }

    private func row(
        _ number: Int64, of found: Entity, _ entity: SwitchyardCore.Entity, device: Int64
    ) -> Row {
        let key = { (number: Int64) in (number * 7 + device * 3) % 10 + 1 }
        var row = Row(entity: found.name, key: key(number))
        for attribute in found.attributes {
            let cases = entity.attribute(attribute.name)?.cases
            if attribute.isOptional, number == 3 { continue }
            row.values[attribute.name] =
                switch attribute.type {
                case 800: .bool(number == 1)
                case 300: .integer(number * 10)
                case 400, 500: .real(Double(number) + 0.25)
                case 900: .date(Double(number) * 86_400.5)
                case 1100: .uuid(Self.uuid(number, of: found.name))
                case 1800: entity.name == "Goal" ? Self.dates : .texts(["a", "b \(number)"])
                default:
                    if case .text(let raw)? = cases?[Int(number) % (cases?.count ?? 1)] {
                        .text(raw)
                    } else {
                        .text("\(attribute.name) \(number)")
                    }
                }
        }
        for relationship in found.relationships where !relationship.isToMany && number < 3 {
            row.references[relationship.name] = Target(entity: relationship.destination, key: key(number))
        }
        return row
    }

    /// The archive of two dates.
    private static var dates: Value {
        let dates = [0, 60].map { NSDate(timeIntervalSinceReferenceDate: $0) }
        let archive = try? NSKeyedArchiver.archivedData(withRootObject: dates, requiringSecureCoding: false)
        return .data(Array(archive ?? Data()))
    }

    /// The id of a row that has one.
    static func uuid(_ number: Int64, of entity: String) -> UUID {
        // The names of no two entities of an app have the same sum.
        let sum = entity.utf8.reduce(0) { $0 + UInt64($1) }
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, UInt8(sum / 256 % 256), UInt8(sum % 256),
                UInt8(number)
            ))
    }
}

extension AttributeType {
    /// The number of Core Data's type (`NSAttributeType`).
    fileprivate var coreDataNumber: Int64 {
        switch self {
        case .bool: 800
        case .int: 300
        case .double: 500
        case .decimal: 400
        case .text: 700
        case .uuid: 1100
        case .timestamp, .day: 900
        case .json: 1800
        case .blob: 1000
        }
    }
}
