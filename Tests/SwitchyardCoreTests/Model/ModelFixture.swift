import Foundation
import Switchyard
import SwitchyardCore

/// Models that have every kind of attribute and relationship.
enum ModelFixture: VersionedSchema {
    static let version = SchemaVersion(1)
    static let models: [any Model.Type] = [Everything.self, Folder.self, Draft.self]

    enum Kind: String, CaseIterable, Codable {
        case none, pee, poo
    }

    enum Level: Int16, CaseIterable {
        case low = -1, high = 300
    }

    struct Address: Codable, Hashable {
        var street: String
        var number: Int
    }

    enum Shape: Codable, Hashable {
        case circle(Double), square
    }

    @Model
    struct Everything {
        #Index<Everything>([\.text], [\.folder, \.date])
        #Unique<Everything>([\.int, \.text])
        #Unique<Everything>([\.folder], where: { $0.optionalDate == nil }, nilsAreDistinct: false)
        var text: String = ""
        let id: ID
        var flag: Bool = true
        var int: Int = -5
        var int8: Int8 = 0
        var uint32: UInt32 = 0xFF
        var double: Double = -1.5
        var float: Float = 0
        var decimal: Decimal = 12.5
        var data: Data = Data()
        var uuid: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var date: Date = .now
        var optionalDate: Date?
        var day: CalendarDay?
        var kind: Kind = .none
        @Attribute(column: "kind_2") var optionalKind: Kind? = .pee
        var level: Level = .high
        var address: Address = Address(street: "", number: 1)
        var optionalAddress: Address?
        var shape: Shape = .square
        var tags: [String] = ["a", "b"]
        var kinds: [Kind]?
        var counts: [String: Int] = [:]
        @Attribute(.searchable) var title: String?
        var folder: Folder.ID?
        var home: Identifier<Folder>
        var parent: ID?
        private(set) var secret: String = "s"
        @Transient var isSelected: Bool = true
        var observed: Int = 0 { didSet { observations += 1 } }
        @Transient var observations: Int = 0
        var isDry: Bool { kind == .none }
    }

    @Model
    struct Folder {
        let id: ID
        var name: String
        @Relationship(inverse: \Everything.folder) var contents: ToMany<Everything>
        @Relationship(deleteRule: .cascade, inverse: \Everything.home) var residents: ToMany<Everything>
    }

    @Model
    struct Draft {
        #Index<Draft>([\.home], where: { $0.folder == nil })
        let id: ID
        var home: Folder.ID = .attic
        var folder: Folder.ID? = .attic
        var origin: Identifier<Folder>? = ModelFixture.Folder.ID.attic
    }
}

extension Identifier where Row == ModelFixture.Folder {
    /// A folder that is always there.
    static var attic: Self { Self(UUID(uuid: (5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5))) }
}
