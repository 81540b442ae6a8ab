public import Foundation
internal import Switchyard
internal import SwitchyardCSV
public import SwitchyardCore

/// Which part of the history is wanted; everything, unless told otherwise.
public struct HistoryFilter: Sendable, Hashable {
    /// The baby; nil for all, and for entries of babies that have been removed.
    public var baby: BabyProfile.ID?
    /// The first moment that is wanted.
    public var since: Date?
    /// The first moment that is not wanted any more.
    public var until: Date?
    /// What to look for, without regard to case and diacritics: `#tag` finds memos with that very hashtag;
    /// other text is found inside memos, in names of custom events, and in the words feed, pee and poo.
    public var search: String?

    /// Filters by what is given.
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
    /// The text to look for; nil if there is none.
    var searchText: String? {
        let text = search.map { WhiteSpace.trimmed($0) }
        return text?.isEmpty == false ? text : nil
    }

    /// The hashtag to look for, in lower case; nil if it is other text.
    var hashtag: String? {
        searchText.flatMap { Hashtags.isHashtag($0) ? $0.lowercased() : nil }
    }

    /// Whether an entry that fulfils the condition has the hashtag too.
    ///
    /// A condition can only tell that the text of the tag is there, perhaps as the beginning of a longer one.
    func hasHashtag(_ entry: HistoryEntry) -> Bool {
        guard let hashtag else { return true }
        return entry.hashtags.contains { $0.lowercased() == hashtag }
    }

    /// The condition that a store can evaluate.
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
    /// The rows that are called by a name with the folded text in it.
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
