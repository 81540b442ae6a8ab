public import Foundation
internal import Switchyard
internal import SwitchyardCSV
public import SwitchyardCore

/// Selects a part of the history; everything by default.
public struct HistoryFilter: Sendable, Hashable {
    /// The baby; nil for all babies and for entries whose baby has been removed.
    public var baby: BabyProfile.ID?
    /// The earliest time to include.
    public var since: Date?
    /// The time at which to stop; not included.
    public var until: Date?
    /// The text to search for, ignoring case and diacritics: `#tag` finds memos with exactly that hashtag; other
    /// text is searched in memos, in names of custom events, and in the words feed, pee and poo.
    public var search: String?

    /// Creates a filter.
    public init(
        baby: BabyProfile.ID? = nil, since: Date? = nil, until: Date? = nil, search: String? = nil
    ) {
        self.baby = baby
        self.since = since
        self.until = until
        self.search = search
    }
}

extension HistoryFilter {
    /// The text to search for, if any.
    var searchText: String? {
        let text = search.map { WhiteSpace.trimmed($0) }
        return text?.isEmpty == false ? text : nil
    }

    /// The hashtag to search for, in lower case; nil if the text is not a hashtag.
    var hashtag: String? {
        searchText.flatMap { Hashtags.isHashtag($0) ? $0.lowercased() : nil }
    }

    /// Whether an entry that satisfies the condition also has the hashtag.
    ///
    /// The condition can only check that the tag's text occurs, which may be the beginning of a longer tag.
    func hasHashtag(_ entry: HistoryEntry) -> Bool {
        guard let hashtag else { return true }
        return entry.hashtags.contains { $0.lowercased() == hashtag }
    }

    /// The part of the filter that a store can evaluate.
    ///
    /// - Throws: `StoreError` with code `valueNotRepresentable` for a time that no store can hold.
    func condition<Element: HistoryModel>(for _: Element.Type) throws -> Condition {
        var condition = Condition.constant(true)
        if let baby {
            condition = condition && .compare(.attribute("profile"), .equal, .value(baby.storedValue()))
        }
        let time = Operand.attribute(Element.timeAttribute)
        if let since {
            condition = condition && .compare(time, .greaterOrEqual, .value(try since.storedValue()))
        }
        if let until { condition = condition && .compare(time, .less, .value(try until.storedValue())) }
        if let searchText {
            let folded = SearchFolding.fold(searchText)
            let memo = Condition.search(attribute: "memoText", .contains, text: folded)
            condition = condition && (hashtag == nil ? memo || Element.nameCondition(folded) : memo)
        }
        return condition
    }
}

/// A model whose rows are entries of the history.
protocol HistoryModel: Model {
    /// The kind of its entries.
    static var kind: HistoryKind { get }
    /// The attribute that says when it happened.
    static var timeAttribute: String { get }
    /// The rows with a name that contains the folded text.
    static func nameCondition(_ folded: String) -> Condition
    /// The row as an entry.
    var entry: HistoryEntry { get }
}

extension BabyMonitorSchema.FeedSession: HistoryModel {
    static var kind: HistoryKind { .feed }
    static var timeAttribute: String { "startTime" }
    static func nameCondition(_ folded: String) -> Condition { .constant("feed".contains(folded)) }
    var entry: HistoryEntry { .feed(self) }
}

extension BabyMonitorSchema.DiaperChange: HistoryModel {
    static var kind: HistoryKind { .diaper }
    static var timeAttribute: String { "timestamp" }
    static func nameCondition(_ folded: String) -> Condition {
        .isIn(
            .attribute("type"),
            DiaperType.allCases.map(\.rawValue).filter { $0.contains(folded) }.map { .text($0) })
    }
    var entry: HistoryEntry { .diaper(self) }
}

extension BabyMonitorSchema.CustomEvent: HistoryModel {
    static var kind: HistoryKind { .event }
    static var timeAttribute: String { "timestamp" }
    static func nameCondition(_ folded: String) -> Condition {
        .search(attribute: "eventTypeName", .contains, text: folded)
    }
    var entry: HistoryEntry { .event(self) }
}
