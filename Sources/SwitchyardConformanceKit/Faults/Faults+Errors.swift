internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in what errors say.
    static let errors: [Fault] = [
        throwing("error-entity", "Errors name no entity.") { error, _ in
            var error = error
            error.entity = nil
            return error
        },
        throwing("error-attribute", "Errors name no attribute.") { error, _ in
            var error = error
            error.attribute = nil
            return error
        },
        throwing("error-column", "Errors name the column in place of the attribute.") { error, schema in
            var error = error
            let entity = error.entity.flatMap { schema.entity($0) }
            error.attribute = error.attribute.flatMap { entity?.attribute($0)?.column ?? $0 }
            return error
        },
        throwing("error-constraint", "Errors name no constraint.") { error, _ in
            var error = error
            error.constraint = nil
            return error
        },
        code("error-unique", "A duplicate is an error of the backend.", .unique),
        code("error-foreign-key", "A reference to nothing is an error of the backend.", .foreignKey),
        code("error-check", "A value outside its domain is an error of the backend.", .check),
        code("error-busy", "A wait that times out is an error of the backend.", .busy),
        code("error-closed", "A closed store's error is one of the backend.", .closed),
        code("error-arithmetic", "A calculation that fails is an error of the backend.", .arithmetic),
        code("error-cancelled", "A cancelled transaction is an error of the backend.", .cancelled),
    ]

    private static func throwing(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (StoreError, Schema) -> StoreError
    ) -> Fault { Fault(name, summary, FaultHooks(error: change)) }

    private static func code(_ name: String, _ summary: String, _ code: StoreError.Code) -> Fault {
        throwing(name, summary) { error, _ in
            guard error.code == code else { return error }
            return StoreError(
                .backend, error.message, entity: error.entity, attribute: error.attribute,
                constraint: error.constraint)
        }
    }
}
