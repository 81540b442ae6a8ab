import Foundation
import SwitchyardCore
import SwitchyardMirror

/// What happens, in words.
extension Simulation {
    static func describe(_ mutation: Mutation) -> String {
        mutation.changes.map { change in
            let name = "\(change.key.entity)\(change.key.id.uuid.15)"
            return switch change {
            case .insert(_, let row): "+\(name) \(show(row))"
            case .update(_, let edits):
                "\(name) " + edits.map { "\($0.attribute)=\(show([.null, $0.after]))" }.joined(separator: " ")
            case .delete: "-\(name)"
            case .offer(_, let row, let sequence): "offer \(name)@\(sequence) \(row.map(show) ?? "nothing")"
            }
        }.joined(separator: ", ")
    }

    private static func show(_ row: [StoredValue]) -> String {
        row.dropFirst().map { value in
            switch value {
            case .uuid(let id): "#\(id.uuid.15)"
            case .int(let number): "\(number)"
            case .text(let text), .json(let text): text
            default: "nil"
            }
        }.joined(separator: ",")
    }

    static func describe(_ event: MirrorEngine.Event) -> String {
        switch event {
        case .prepared(let prepared): "has \(prepared.mutations.count) mutations to send"
        case .answer: "takes the answer"
        default: "\(event)".split(separator: "(").first.map(String.init) ?? ""
        }
    }

    static func describe(_ answer: ExchangeAnswer) -> String {
        switch answer {
        case .page(let page):
            "page \(page.from.sequence)–\(page.upTo.sequence) of \(page.head.sequence), verdicts "
                + "\(page.verdicts.map(\.kind.rawValue)), rows "
                + page.rows.map { row in
                    "\(row.key.entity)\(row.key.id.uuid.15)=\(row.values.map { show($0.map { $0 ?? .null }) } ?? "nothing")"
                }.joined(separator: " ")
        case .rows(let page): "\(page.rows.count) of all rows"
        case .restart: "restart"
        case .ahead(let common): "ahead of \(common.map { "\($0.sequence)" } ?? "all")"
        case .beginAgain: "begin again"
        }
    }
}
