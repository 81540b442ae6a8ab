internal import Foundation
package import SwitchyardCore

extension ExchangeAnswer {
    /// Checks that the rows and conflicts are such as a store of a schema can hold, whoever has sent them.
    ///
    /// - Throws: `corrupted` if one is not.
    package func requireFit(_ schema: Schema) throws {
        switch self {
        case .page(let page):
            try Self.requireFit(page.rows, schema)
            for entry in page.conflicts {
                let count = schema.entity(entry.conflict.key.entity)?.attributes.count ?? 0
                guard entry.conflict.values.allSatisfy({ (0..<count).contains($0.attribute) }) else {
                    throw StoreError.unfittingAnswer(entry.conflict.key.entity)
                }
            }
        case .rows(let page): try Self.requireFit(page.rows, schema)
        case .restart, .ahead, .beginAgain: break
        }
    }

    /// Checks rows.
    ///
    /// - Throws: `corrupted` if one is not such as the store can hold.
    static func requireFit(_ rows: [RowPatch], _ schema: Schema) throws {
        var entity: Entity?
        for row in rows {
            if entity?.name != row.key.entity { entity = schema.entity(row.key.entity) }
            guard let entity, row.fits(entity) else { throw StoreError.unfittingAnswer(row.key.entity) }
        }
    }
}

extension RowPatch {
    fileprivate func fits(_ entity: Entity) -> Bool {
        guard let values else { return true }
        guard values.count == entity.attributes.count, values[0] ?? .uuid(key.id) == .uuid(key.id) else {
            return false
        }
        return zip(values, entity.attributes).allSatisfy { value, attribute in
            guard let value else { return true }
            return value.isNull ? attribute.isOptional : value.type == attribute.type
        }
    }
}

extension StoreError {
    fileprivate static func unfittingAnswer(_ entity: String) -> StoreError {
        StoreError(
            .corrupted,
            "The server's answer has values that the store cannot hold, so nothing of it was applied. Check that the server "
                + "and this program are of versions that fit.",
            entity: entity)
    }
}
