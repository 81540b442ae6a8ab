internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in opening, closing, and what a store says about itself.
    static let openings: [Fault] = [
        opening(
            "opening-forgets", "A place that is opened again is empty.", .forgetsOnOpening, needs: .durability
        ),
        opening(
            "opening-anew", "A store that is too damaged to open is replaced by an empty one.",
            .startsAnewFromDamage, needs: .durability),
        opening(
            "opening-sees-closed", "Rows reach the place when the store closes.", .keepsRowsAtClosing,
            needs: .durability),
        opening(
            "opening-any-schema", "A store opens with any schema.", .ignoresSchema, needs: .durability),
        opening(
            "opening-makes-missing", "A missing store is created even if the options forbid it.",
            .makesWhatIsMissing, needs: .durability),
        opening(
            "opening-read-only", "A store opened for reading takes writes.", .writesWhenReadOnly,
            needs: .durability),
        opening("closed-answers", "A closed store answers.", .answersWhenClosed),
        opening("busy-never", "A write waits for another one indefinitely.", .waitsForEver),
        opening(
            "marker-identity", "The store's id is different each time.", .newIdentityEachTime,
            needs: .durability),
        opening("marker-role", "A new store is marked as a copy.", .wrongRole),
        opening("role-kept", "A store keeps the role that it has.", .keepsRole),
        opening("role-successor", "A superseded store does not name its successor.", .losesSuccessor),
        opening("identity-kept", "A store keeps the identity that it has.", .keepsIdentity),
        opening("marker-schema", "The marker holds only the first entity of the schema.", .losesSchema),
        opening("check-nothing", "The check finds nothing.", .findsNothing, needs: .durability),
        opening("check-noise", "The check finds damage in a sound store.", .findsSomething),
        opening("operation-forgotten", "No operation is known to have been committed.", .knowsNoOperation),
        opening("operation-any", "Every operation is taken for committed.", .knowsEveryOperation),
        opening(
            "operation-of-failure", "The operation of a write that failed is taken for committed.",
            .keepsFailedOperations),
        opening(
            "operation-twice", "An operation that was committed can be committed again.", .takesOperationTwice
        ),
    ]

    /// Faults in reading damaged rows.
    static let damage: [Fault] = [
        reads("damage-bool", "A stored 2 is read as true.") { cell, attribute in
            attribute.type == .bool && cell.kind == .integer && cell.word != 0 ? Cell(integer: 1) : nil
        },
        reads("damage-wide", "An integer too wide for its attribute is cut.") { cell, attribute in
            guard let domain = attribute.domain, attribute.type == .int, cell.kind == .integer,
                !domain.contains(.int(cell.word))
            else { return nil }
            return Cell(integer: Int64(Int8(truncatingIfNeeded: cell.word)))
        },
        reads("damage-case", "An unknown raw value is read as nil.") { cell, attribute in
            guard attribute.isOptional, let cases = attribute.cases, cell.kind == .text else { return nil }
            let isKnown = cases.contains { known in
                if case .text(let text) = known { Array(text.utf8) == Array(cell.bytes) } else { false }
            }
            return isKnown ? nil : Cell()
        },
        reads("damage-utf8", "Text that is not UTF-8 is read as empty text.") { cell, _ in
            guard cell.kind == .text, String(validating: cell.bytes, as: UTF8.self) == nil else { return nil }
            return Cell(.text, start: nil, count: 0)
        },
        reads("damage-type", "Text among integers is read as 0.") { cell, attribute in
            attribute.type == .int && cell.kind == .text ? Cell(integer: 0) : nil
        },
    ]

    private static func opening(
        _ name: String, _ summary: String, _ fault: OpeningFault, needs: StoreCapability? = nil
    ) -> Fault { Fault(name, summary, needs: needs, FaultHooks(opening: fault)) }

    /// A fault that shows only if the harness can plant damage, which requires a place that outlasts the process.
    private static func reads(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (Cell, Attribute) -> Cell?
    ) -> Fault {
        Fault(
            name, summary, needs: .durability,
            FaultHooks(cell: { cell, attribute in change(cell, attribute) ?? cell }))
    }
}
