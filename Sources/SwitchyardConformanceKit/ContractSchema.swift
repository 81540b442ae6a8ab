package import Foundation
package import Switchyard

/// The models that the contract is tested with.
package enum ContractSchema: VersionedSchema {
    package static let version = SchemaVersion(1)
    package static let models: [any Model.Type] = [
        Specimen.self, Parent.self, CascadeChild.self, NullifyChild.self, DenyChild.self, LooseChild.self,
        TreeNode.self, Carriage.self, Ticket.self, Badge.self, Place.self, Alias.self, Note.self,
        Sighting.self,
    ]
}

/// An enum with text raw values.
package enum Certainty: String, Codable, CaseIterable, Sendable {
    case low, high
}

/// An enum with integer raw values.
package enum Rank: Int, Codable, CaseIterable, Sendable {
    case first = 1
    case second = 2
}

/// A Codable value stored as JSON.
package struct Label: Codable, Hashable, Sendable {
    package var name: String
    package var weight: Int

    package init(name: String, weight: Int) {
        self.name = name
        self.weight = weight
    }
}

/// One attribute of each type, required or optional.
@Model
package struct Specimen: Equatable {
    #Index<Specimen>([\.whole], [\.text, \.whole])
    #Index<Specimen>([\.moment], where: { $0.memo == nil && $0.small != nil })

    package let id: ID
    package var flag: Bool = false
    package var whole: Int = 0
    package var small: Int8?
    package var real: Double = 0
    package var amount: Decimal?
    package var text: String = ""
    @Attribute(.searchable)
    package var memo: String?
    package var data: Data?
    package var key: UUID?
    package var moment: Date?
    package var day: CalendarDay?
    package var certainty: Certainty?
    package var rank: Rank = Rank.first
    package var labels: [Label] = []
    package var label: Label?
    @Attribute(column: "other_name")
    package var renamed: String?
    package var otherReal: Double?
    package var otherWhole: Int?
    package var ratio: Float?
    package var octet: UInt8?
}

/// The parent that the children of every delete rule refer to.
@Model
package struct Parent {
    package let id: ID
    package var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \CascadeChild.parent)
    package var cascading: ToMany<CascadeChild>
    @Relationship(deleteRule: .nullify, inverse: \NullifyChild.parent)
    package var nullifying: ToMany<NullifyChild>
    @Relationship(deleteRule: .deny, inverse: \DenyChild.parent)
    package var denying: ToMany<DenyChild>
    @Relationship(deleteRule: .noAction, inverse: \LooseChild.parent)
    package var loose: ToMany<LooseChild>
}

/// A child that is deleted with its parent.
@Model
package struct CascadeChild {
    package let id: ID
    package var parent: Parent.ID?
    package var size: Int = 0
}

/// A child that outlives its parent.
@Model
package struct NullifyChild {
    package let id: ID
    package var parent: Parent.ID?
}

/// A child that prevents the deletion of its parent.
@Model
package struct DenyChild {
    package let id: ID
    package var parent: Parent.ID?
}

/// A child whose parent can be deleted only if the child is deleted in the same transaction.
@Model
package struct LooseChild {
    package let id: ID
    package var parent: Parent.ID?
}

/// A row that refers to rows of its own kind.
@Model
package struct TreeNode {
    package let id: ID
    package var parent: TreeNode.ID?
    @Relationship(deleteRule: .cascade, inverse: \TreeNode.parent)
    package var children: ToMany<TreeNode>
}

/// A row that refers to the one before it; only the first refers to none.
@Model
package struct Carriage {
    #Unique<Carriage>([\.ahead], nilsAreDistinct: false)

    package let id: ID
    package var ahead: Carriage.ID?
    @Relationship(deleteRule: .nullify, inverse: \Carriage.ahead)
    package var behind: ToMany<Carriage>
}

/// Unique constraints of every kind.
@Model
package struct Ticket {
    #Unique<Ticket>([\.number], [\.row, \.seat])
    #Unique<Ticket>([\.gate], where: { $0.isOpen == true })

    package let id: ID
    package var number: Int = 0
    package var row: String?
    package var seat: Int?
    package var gate: String = ""
    package var isOpen: Bool = false
    package var count: Int = 0
}

/// A unique constraint under which only one row may be nil.
@Model
package struct Badge {
    #Unique<Badge>([\.holder], nilsAreDistinct: false)

    package let id: ID
    package var holder: String?
}

/// Unique constraints in which two nils are equal, over values that may also be empty.
@Model
package struct Place {
    #Unique<Place>([\.number, \.name], nilsAreDistinct: false)
    #Unique<Place>([\.picture], where: { $0.isListed == true }, nilsAreDistinct: false)

    package let id: ID
    package var number: Int?
    package var name: String?
    package var picture: Data?
    package var isListed: Bool = false
    package var visits: Int = 0
}

/// Columns whose names differ from their attributes'; an error can concern each of them.
@Model
package struct Alias {
    #Unique<Alias>([\.word])
    #Index<Alias>([\.meaning])

    package let id: ID
    @Attribute(column: "col_word")
    package var word: String = ""
    @Attribute(column: "col_meaning")
    package var meaning: String?
    @Attribute(column: "col_size")
    package var size: Int8 = 0
    @Attribute(column: "col_rank")
    package var rank: Rank = Rank.first
    @Attribute(column: "col_owner")
    package var owner: Parent.ID?
}

/// A row that must refer to a specimen, and may refer to the sighting before it.
@Model
package struct Sighting {
    package let id: ID
    package var specimen: Specimen.ID
    package var previous: Sighting.ID?
    package var number: Int = 0
    @Relationship(deleteRule: .nullify, inverse: \Sighting.previous)
    package var following: ToMany<Sighting>
}

/// Plain text, for tests of sizes.
@Model
package struct Note {
    package let id: ID
    package var body: String = ""
    package var data: Data?
}
