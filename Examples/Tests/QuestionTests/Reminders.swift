import Foundation
import Switchyard

/// An app for reminders: lists, tags, and reminders below reminders.
enum Reminders: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [List.self, Reminder.self, Tag.self, Tagging.self]

    @Model
    struct List {
        let id: ID
        var name: String
        var position: Int
        @Relationship(deleteRule: .cascade, inverse: \Reminder.list)
        var reminders: ToMany<Reminder>
    }

    @Model
    struct Reminder {
        #Unique<Reminder>([\.list, \.position])

        let id: ID
        @Attribute(.searchable) var title: String
        var list: List.ID
        var position: Int = 0
        var due: Date?
        var completed: Date?
        var priority: Int?
        var isFlagged: Bool = false
        var parent: Reminder.ID?
        @Relationship(deleteRule: .cascade, inverse: \Reminder.parent)
        var parts: ToMany<Reminder>
        @Relationship(deleteRule: .cascade, inverse: \Tagging.reminder)
        var taggings: ToMany<Tagging>
    }

    @Model
    struct Tag {
        let id: ID
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Tagging.tag)
        var taggings: ToMany<Tagging>
    }

    @Model
    struct Tagging {
        #Unique<Tagging>([\.reminder, \.tag])

        let id: ID
        var reminder: Reminder.ID
        var tag: Tag.ID
    }
}

extension Reminders {
    /// The first moment of a day of March 2026 in UTC.
    static func march(_ day: Int) -> Date {
        Date(timeIntervalSince1970: 1_772_323_200 + Double(day - 1) * 86_400)
    }

    /// The day of a time in UTC, such as `2026-03-09`.
    static func day(_ time: Date?) -> String {
        time.map { $0.formatted(.iso8601.year().month().day()) } ?? "never"
    }

    /// Inserts the sample: 3 lists, 9 reminders and 5 tags, on 10 March.
    static func fill(_ tx: WriteTransaction) throws {
        let lists = ["Home", "Work", "Someday"].enumerated().map { List(name: $1, position: $0) }
        try tx.insert(contentsOf: lists)
        let titles: [(title: String, list: Int, place: Int, due: Int?, done: Int?, priority: Int?)] = [
            ("Buy milk", 0, 0, 9, nil, 3), ("Water plants", 0, 2, 10, nil, nil),
            ("Call Ana", 0, 3, nil, nil, 1), ("Pay rent", 0, 1, 1, 2, 3), ("Plan trip", 1, 0, 20, nil, 2),
            ("Book flight", 1, 1, 15, nil, 3), ("Book hotel", 1, 2, 25, nil, 1),
            ("write report", 1, 3, 12, 11, nil), ("Café bill", 1, 4, nil, 5, nil),
        ]
        var reminders = titles.map { reminder in
            Reminder(
                title: reminder.title, list: lists[reminder.list].id, position: reminder.place,
                due: reminder.due.map(march), completed: reminder.done.map { march($0) + 23.5 * 3_600 },
                priority: reminder.priority)
        }
        for flagged in [1, 4] { reminders[flagged].isFlagged = true }
        for part in [5, 6] { reminders[part].parent = reminders[4].id }
        try tx.insert(contentsOf: reminders)
        let tags = ["errand", "home", "idle", "travel", "urgent"].map { Tag(name: $0) }
        try tx.insert(contentsOf: tags)
        for (tag, tagged) in [(0, [0, 2, 3]), (1, [0, 1]), (3, [4, 5, 6]), (4, [5])] {
            try tx.insert(
                contentsOf: tagged.map { Tagging(reminder: reminders[$0].id, tag: tags[tag].id) })
        }
    }
}
