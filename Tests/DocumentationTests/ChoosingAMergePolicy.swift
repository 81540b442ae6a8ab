import Foundation
import Switchyard
import SwitchyardCore
import Testing

@Model
struct Runner {
    let id: ID
    var name: String
    @Attribute(.merge(.counter)) var laps: Int = 0
    @Attribute(.merge(.maximum)) var longestRun: Double?
    @Attribute(.merge(.minimum)) var bestTime: Double?
    @Attribute(.merge(.union)) var trophies: [String] = []
    @Attribute(.merge(.custom("longer"))) var motto: String = ""
}

@Model(.merge(.resurrect))
struct Race {
    let id: ID
    var place: String
}

@Model
struct Club {
    #Unique<Club>([\.name], merge: .mergeInto)
    let id: ID
    var name: String
    var town: String?
}

@Model
struct Team {
    #Unique<Team>([\.name], merge: .rename)
    let id: ID
    var name: String
}

@Suite("The article on merge policies")
struct MergePolicyArticle {
    @Test("the models' policies are in their schema")
    func schema() throws {
        let schema = try Schema(
            version: SchemaVersion(1), models: [Runner.self, Race.self, Club.self, Team.self])
        #expect(
            schema.entity("Runner")?.attributes.map(\.merge)
                == [.lastEdit, .lastEdit, .counter, .maximum, .minimum, .union, .custom("longer")])
        #expect(schema.entities.map(\.deletedRows) == [.delete, .resurrect, .delete, .delete])
        #expect(
            schema.entities.map { $0.uniqueConstraints.map(\.merge) } == [[.mergeInto], [], [], [.rename]])
    }
}
