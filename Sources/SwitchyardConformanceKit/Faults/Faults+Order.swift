internal import Foundation
internal import Switchyard
internal import SwitchyardCore

extension Fault {
    /// Faults in the order of rows, and in which part of them is returned.
    static let order: [Fault] = [
        sorts("order-nil-ascending", "Nil sorts last ascending.") { lhs, rhs, isDescending in
            isDescending || lhs.isNull == rhs.isNull ? nil : rhs.isNull
        },
        sorts("order-nil-descending", "Nil sorts first descending.") { lhs, rhs, isDescending in
            !isDescending || lhs.isNull == rhs.isNull ? nil : lhs.isNull
        },
        sorts("order-text-utf16", "Text sorts by its UTF-16 code units.") { lhs, rhs, isDescending in
            guard case .text(let lhs) = lhs, case .text(let rhs) = rhs else { return nil }
            return isDescending
                ? rhs.utf16.lexicographicallyPrecedes(lhs.utf16)
                : lhs.utf16.lexicographicallyPrecedes(rhs.utf16)
        },
        sorts("order-text-case", "Text sorts without regard to case.") { lhs, rhs, isDescending in
            guard case .text(let lhs) = lhs, case .text(let rhs) = rhs else { return nil }
            return isDescending ? rhs.lowercased() < lhs.lowercased() : lhs.lowercased() < rhs.lowercased()
        },
        sorts("order-decimal-text", "Decimals sort as text.") { lhs, rhs, isDescending in
            guard case .decimal(let lhs) = lhs, case .decimal(let rhs) = rhs else { return nil }
            return isDescending ? rhs.description < lhs.description : lhs.description < rhs.description
        },
        sorts("order-uuid-mixed", "UUIDs sort with their first four bytes turned round.") {
            lhs, rhs, isDescending in
            guard case .uuid(let lhs) = lhs, case .uuid(let rhs) = rhs else { return nil }
            func first(_ uuid: UUID) -> [UInt8] { [uuid.uuid.3, uuid.uuid.2, uuid.uuid.1, uuid.uuid.0] }
            guard first(lhs) != first(rhs) else { return nil }
            return isDescending
                ? first(rhs).lexicographicallyPrecedes(first(lhs))
                : first(lhs).lexicographicallyPrecedes(first(rhs))
        },
        sorts("order-blob-length", "A shorter blob sorts before a longer one.") { lhs, rhs, isDescending in
            guard case .blob(let lhs) = lhs, case .blob(let rhs) = rhs, lhs.count != rhs.count else {
                return nil
            }
            return isDescending ? rhs.count < lhs.count : lhs.count < rhs.count
        },
        asks("order-ties", "Rows with equal keys come with the greatest id first.") { selection in
            guard selection.order.count > 1, selection.order.last?.attribute == "id" else { return }
            selection.order[selection.order.count - 1] = SortKey("id", .descending)
        },
        asks("order-none", "Rows without an order come with the greatest id first.") { selection in
            if selection.order == [SortKey("id")] { selection.order = [SortKey("id", .descending)] }
        },
        asks("order-second-key", "Only the first key of an order counts.") { selection in
            guard selection.order.count > 2 else { return }
            selection.order = [selection.order[0], SortKey("id")]
        },
        asks("order-second-direction", "All keys of an order have the direction of the first.") { selection in
            guard let direction = selection.order.first?.direction else { return }
            selection.order = selection.order.map {
                SortKey($0.value, $0.attribute == "id" ? $0.direction : direction)
            }
        },
        asks("order-nils", "Nil comes where it does by default.") { selection in
            selection.order = selection.order.map { SortKey($0.value, $0.direction) }
        },
        asks("limit-each", "A limit of the rows that belong to each of several counts all of them.") {
            $0.condition = $0.wholeCondition
            $0.partition = nil
        },
        asks("limit-zero", "The limit 0 gives all rows.") { if $0.limit == 0 { $0.limit = nil } },
        asks("limit-from-start", "A limit counts the rows that the offset leaves out.") { selection in
            selection.limit = selection.limit.map { max(0, $0 - selection.offset) }
        },
        asks("offset-less-one", "An offset leaves out one row too few.") {
            $0.offset = max(0, $0.offset - 1)
        },
        asks("offset-alone", "An offset without a limit is ignored.") {
            if $0.limit == nil { $0.offset = 0 }
        },
        answers("answer-1000", "The rows after the first 1,000 of an answer are lost.") { rows, _ in
            Array(rows.prefix(1_000))
        },
        answers("answer-256", "The last row of an answer is lost if it is the 256th, 512th and so on.") {
            rows, _ in
            !rows.isEmpty && rows.count.isMultiple(of: 256) ? rows.dropLast() : rows
        },
        answers("answer-short-of-limit", "An answer that has fewer rows than its limit loses the last.") {
            rows, selection in
            rows.count < selection.limit ?? 0 ? Array(rows.dropLast()) : rows
        },
        rewrites(
            "page-ties", "A page begins after all rows that agree in the first key with the page before."
        ) {
            condition, _, _ in
            guard case .all(let parts) = condition, parts.count > 1,
                case .compare(.attribute("id"), let order, .value)? = parts.last,
                order == .greater || order == .less,
                case .compare(.attribute, .equal, .value) = parts[parts.count - 2]
            else { return condition }
            return .constant(false)
        },
    ]

    /// A fault in comparing two values; nil where their order is correct.
    private static func sorts(
        _ name: String, _ summary: String,
        _ precedes: @escaping @Sendable (StoredValue, StoredValue, _ isDescending: Bool) -> Bool?
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(select: { driver, selection in
                guard !selection.isAggregate, selection.partition == nil, selection.limit != 0 else {
                    return nil
                }
                var whole = Selection.rows(of: selection.entity, where: selection.condition)
                whole.order = selection.order
                let keys = selection.order.map {
                    (selection.column($0.attribute ?? "id"), $0.direction == .descending)
                }
                let rows = try driver.answer(to: whole).sorted { lhs, rhs in
                    for (column, isDescending) in keys where lhs[column] != rhs[column] {
                        let isFirst = StoredValue.precedes(lhs[column], rhs[column]) != isDescending
                        return precedes(lhs[column], rhs[column], isDescending) ?? isFirst
                    }
                    return false
                }
                return selection.cut(rows)
            }))
    }

    /// A fault in a selection.
    static func asks(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (inout Selection) -> Void
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(selection: { selection in
                var changed = selection
                change(&changed)
                return changed
            }))
    }

    /// A fault in the rows of an answer.
    static func answers(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable ([[StoredValue]], Selection) -> [[StoredValue]]
    ) -> Fault {
        Fault(
            name, summary,
            FaultHooks(select: { driver, selection in change(try driver.answer(to: selection), selection) }))
    }

    /// A fault in the meaning of a condition.
    static func rewrites(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (Condition, Entity, FaultyDriver) throws -> Condition
    ) -> Fault { Fault(name, summary, FaultHooks(condition: change)) }
}
