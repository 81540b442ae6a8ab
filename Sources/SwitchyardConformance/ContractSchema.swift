internal import Foundation
internal import Switchyard

/// The models that the contract is tested with.
enum ContractSchema: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [
        Specimen.self, Parent.self, CascadeChild.self, NullifyChild.self, DenyChild.self, LooseChild.self,
        TreeNode.self, Carriage.self, Ticket.self, Badge.self, Place.self, Alias.self, Note.self,
        Sighting.self,
    ]
}

/// An enum with text raw values.
enum Certainty: String, Codable, CaseIterable, Sendable {
    case low, high
}

/// An enum with integer raw values.
enum Rank: Int, Codable, CaseIterable, Sendable {
    case first = 1
    case second = 2
}

/// A Codable value stored as JSON.
struct Label: Codable, Hashable, Sendable {
    var name: String
    var weight: Int
}

/// One attribute of each type, required or optional.
@Model
struct Specimen: Equatable {
    #Index<Specimen>([\.whole], [\.text, \.whole])
    #Index<Specimen>([\.moment], where: { $0.memo == nil && $0.small != nil })

    let id: ID
    var flag: Bool = false
    var whole: Int = 0
    var small: Int8?
    var real: Double = 0
    var amount: Decimal?
    var text: String = ""
    @Attribute(.searchable)
    var memo: String?
    var data: Data?
    var key: UUID?
    var moment: Date?
    var day: CalendarDay?
    var certainty: Certainty?
    var rank: Rank = Rank.first
    var labels: [Label] = []
    var label: Label?
    @Attribute(column: "other_name")
    var renamed: String?
    var otherReal: Double?
    var otherWhole: Int?
    var ratio: Float?
    var octet: UInt8?
}

/// The parent that the children of every delete rule refer to.
@Model
struct Parent {
    let id: ID
    var name: String = ""
    @Relationship(deleteRule: .cascade, inverse: \CascadeChild.parent)
    var cascading: ToMany<CascadeChild>
    @Relationship(deleteRule: .nullify, inverse: \NullifyChild.parent)
    var nullifying: ToMany<NullifyChild>
    @Relationship(deleteRule: .deny, inverse: \DenyChild.parent)
    var denying: ToMany<DenyChild>
    @Relationship(deleteRule: .noAction, inverse: \LooseChild.parent)
    var loose: ToMany<LooseChild>
}

/// A child that is deleted with its parent.
@Model
struct CascadeChild {
    let id: ID
    var parent: Parent.ID?
    var size: Int = 0
}

/// A child that outlives its parent.
@Model
struct NullifyChild {
    let id: ID
    var parent: Parent.ID?
}

/// A child that prevents the deletion of its parent.
@Model
struct DenyChild {
    let id: ID
    var parent: Parent.ID?
}

/// A child whose parent can be deleted only if the child is deleted in the same transaction.
@Model
struct LooseChild {
    let id: ID
    var parent: Parent.ID?
}

/// A row that refers to rows of its own kind.
@Model
struct TreeNode {
    let id: ID
    var parent: TreeNode.ID?
    @Relationship(deleteRule: .cascade, inverse: \TreeNode.parent)
    var children: ToMany<TreeNode>
}

/// A row that refers to the one before it; only the first refers to none.
@Model
struct Carriage {
    #Unique<Carriage>([\.ahead], nilsAreDistinct: false)

    let id: ID
    var ahead: Carriage.ID?
    @Relationship(deleteRule: .nullify, inverse: \Carriage.ahead)
    var behind: ToMany<Carriage>
}

/// Unique constraints of every kind.
@Model
struct Ticket {
    #Unique<Ticket>([\.number], [\.row, \.seat])
    #Unique<Ticket>([\.gate], where: { $0.isOpen == true })

    let id: ID
    var number: Int = 0
    var row: String?
    var seat: Int?
    var gate: String = ""
    var isOpen: Bool = false
    var count: Int = 0
}

/// A unique constraint under which only one row may be nil.
@Model
struct Badge {
    #Unique<Badge>([\.holder], nilsAreDistinct: false)

    let id: ID
    var holder: String?
}

/// Unique constraints in which two nils are equal, over values that may also be empty.
@Model
struct Place {
    #Unique<Place>([\.number, \.name], nilsAreDistinct: false)
    #Unique<Place>([\.picture], where: { $0.isListed == true }, nilsAreDistinct: false)

    let id: ID
    var number: Int?
    var name: String?
    var picture: Data?
    var isListed: Bool = false
    var visits: Int = 0
}

/// Columns whose names differ from their attributes'; an error can concern each of them.
@Model
struct Alias {
    #Unique<Alias>([\.word])
    #Index<Alias>([\.meaning])

    let id: ID
    @Attribute(column: "col_word")
    var word: String = ""
    @Attribute(column: "col_meaning")
    var meaning: String?
    @Attribute(column: "col_size")
    var size: Int8 = 0
    @Attribute(column: "col_rank")
    var rank: Rank = Rank.first
    @Attribute(column: "col_owner")
    var owner: Parent.ID?
}

/// A row that must refer to a specimen, and may refer to the sighting before it.
@Model
struct Sighting {
    let id: ID
    var specimen: Specimen.ID
    var previous: Sighting.ID?
    var number: Int = 0
    @Relationship(deleteRule: .nullify, inverse: \Sighting.previous)
    var following: ToMany<Sighting>
}

/// Plain text, for tests of sizes.
@Model
struct Note {
    let id: ID
    var body: String = ""
    var data: Data?
}
