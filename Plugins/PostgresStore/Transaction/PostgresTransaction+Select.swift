internal import Foundation
internal import SwitchyardCore
internal import SwitchyardSQL

extension PostgresTransaction {
    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        let statement = try plan.sql.select(selection)
        try forEachRow(
            statement.text, Parameters(statement),
            types: selection.columns.map { $0.type(in: selection.entity) },
            selection.rowContext, body)
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        let plan = try plan.entity(entity.name)
        var parameters = Parameters()
        try parameters.append(.uuid(id), as: .uuid)
        let result = try session.execute(plan.find, parameters)
        try naming(entity.name) { try result.forEachRow(plan.types, plan.context, body) }
    }

    private func forEachRow(
        _ sql: String, _ parameters: borrowing Parameters, types: [WireType], _ context: RowContext,
        _ body: (inout RowReader) throws -> Bool
    ) throws {
        try naming(context.entity) {
            try session.forEachRow(sql, parameters, types: types) { cells in
                guard let start = cells.baseAddress else { return false }
                var reader = RowReader(cells: start, count: cells.count, context: context)
                return try body(&reader)
            }
        }
    }

    /// Names the entity in an error about a column.
    func naming(_ entity: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch var error as StoreError where error.code == .corrupted && error.entity == nil {
            error.entity = entity
            throw error.named(by: plan.schema)
        }
    }
}

extension QueryResult {
    /// Lends each row to what reads rows.
    borrowing func forEachRow(
        _ types: [WireType], _ context: RowContext, _ body: (inout RowReader) throws -> Void
    ) throws {
        try forEachRow(types: types) { cells in
            guard let start = cells.baseAddress else { return }
            var reader = RowReader(cells: start, count: cells.count, context: context)
            try body(&reader)
        }
    }
}

extension SelectedColumn {
    /// The type that the column must have; one that is not the entity's has been refused before.
    fileprivate func type(in entity: Entity) -> WireType {
        switch self {
        case .attribute(let name), .group(.attribute(let name)), .aggregate(.minimum(let name)),
            .aggregate(.maximum(let name)):
            WireType(entity.attribute(name)?.type ?? .int)
        case .group(.day): .date
        case .aggregate(.count), .aggregate(.countOf), .aggregate(.sum): .int8
        }
    }
}
