internal import Foundation
internal import SwitchyardCore

extension MemoryTransaction {
    func select(_ selection: Selection, _ body: (inout RowReader) throws -> Bool) throws {
        try selection.answer(body) { [self] give in
            try forEachRow(of: selection.entity, where: selection.condition, give)
        }
    }

    func find(_ id: UUID, in entity: Entity, _ body: (inout RowReader) throws -> Void) throws {
        try select(.rows(of: entity, where: .compare(.attribute("id"), .equal, .value(.uuid(id))))) { row in
            try body(&row)
            return false
        }
    }
}
