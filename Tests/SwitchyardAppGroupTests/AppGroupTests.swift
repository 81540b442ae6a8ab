import Foundation
import SwitchyardAppGroup
import SwitchyardCore
import Testing
import ToyPlugins

@Suite("App groups")
struct AppGroupTests {
    private func mode(_ path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("an app group's directory lies below the configured root")
    func root() throws {
        let container = try AppGroupContainer("group.toy", root: "/srv/groups", environment: [:])
        #expect(container.path == "/srv/groups/group.toy")
        #expect(container.path(of: "a.sqlite") == "/srv/groups/group.toy/a.sqlite")
        #expect(try AppGroupContainer("group.toy", root: "/srv/", environment: [:]).path == "/srv/group.toy")
    }

    #if !canImport(Darwin)
        @Test("without a root an app group lies in the user's data directory")
        func dataDirectory() async throws {
            let byHome = try AppGroupContainer("group.toy", root: nil, environment: ["HOME": "/home/mia"])
            #expect(byHome.path == "/home/mia/.local/share/app-groups/group.toy")
            let byData = try AppGroupContainer(
                "group.toy", root: nil, environment: ["HOME": "/home/mia", "XDG_DATA_HOME": "/data"])
            #expect(byData.path == "/data/app-groups/group.toy")
            let empty = try AppGroupContainer(
                "group.toy", root: nil, environment: ["HOME": "/home/mia", "XDG_DATA_HOME": ""])
            #expect(empty.path == "/home/mia/.local/share/app-groups/group.toy")
            for environment in [
                [:], ["HOME": "relative"], ["HOME": "/home/mia", "XDG_DATA_HOME": "relative"],
            ] {
                _ = try await Toy.complaint {
                    try AppGroupContainer("group.toy", root: nil, environment: environment)
                }
            }
        }
    #endif

    @Test(
        "an app group's identifier that would leave the root is refused",
        arguments: ["", ".", "..", "../x", "a/b", "a b", "ä", ".a"])
    func identifier(text: String) async throws {
        _ = try await Toy.complaint { try AppGroupContainer(text, root: "/srv", environment: [:]) }
    }

    @Test("an app group's directory is created for its owner alone, and one open to others is refused")
    func create() async throws {
        try await Toy.inDirectory { directory in
            let container = try AppGroupContainer("group.toy", root: directory + "/a/b", environment: [:])
            try container.create()
            #expect(try mode(container.path) == 0o700)
            #expect(try mode(directory + "/a") == 0o700)
            try container.create()
            #if !canImport(Darwin)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: container.path)
                #expect(
                    try await Toy.complaint { try container.create() }
                        == "The app group's directory \(container.path) is accessible to users other than its owner (mode 755). "
                        + "Run `chmod 700 \(container.path)`.")
            #endif
        }
    }

    @Test("an app group's directory that cannot be created is an error")
    func uncreatable() async throws {
        try await Toy.inDirectory { directory in
            try Toy.write("", directory + "/file")
            let container = try AppGroupContainer("group.toy", root: directory + "/file", environment: [:])
            let error = #expect(throws: StoreError.self) { try container.create() }
            #expect(error?.code == .inputOutput)
        }
    }

    @Test("an app group keeps settings with their types")
    func defaults() async throws {
        try await Toy.inDirectory { directory in
            let container = try AppGroupContainer("group.toy", root: directory, environment: [:])
            let defaults = AppGroupDefaults(filesIn: container)
            #expect(try defaults.string("name") == nil)
            try defaults.set("Mia \u{1F37C}\n\"", for: "name")
            try defaults.set(Int.min, for: "count")
            try defaults.set(0.1, for: "ratio")
            try defaults.set(5.0, for: "whole")
            try defaults.set(true, for: "on")
            try defaults.set(Data([0, 255]), for: "bytes")
            try defaults.set("", for: "empty")
            let again = AppGroupDefaults(filesIn: container)
            #expect(try again.string("name") == "Mia \u{1F37C}\n\"")
            #expect(try again.integer("count") == Int.min)
            #expect(try again.double("ratio") == 0.1)
            #expect(try again.double("whole") == 5)
            #expect(try again.bool("on") == true)
            #expect(try again.data("bytes") == Data([0, 255]))
            #expect(try again.string("empty") == "")
            try again.set(7, for: "count")
            #expect(try defaults.integer("count") == 7)
            #expect(try defaults.double("count") == 7)
            try defaults.remove("count")
            try defaults.remove("count")
            #expect(try again.integer("count") == nil)
        }
    }

    @Test("an app group's setting file is readable by its owner alone, and nothing is left beside it")
    func files() async throws {
        try await Toy.inDirectory { directory in
            let container = try AppGroupContainer("group.toy", root: directory, environment: [:])
            let defaults = AppGroupDefaults(filesIn: container)
            try defaults.set("a", for: "startOfDay")
            try defaults.set("b", for: "startofday")
            try defaults.set("c", for: "../x/ä")
            let names = try FileManager.default.contentsOfDirectory(atPath: container.path(of: "Defaults"))
                .sorted()
            #expect(names == ["%2E%2E%2Fx%2F%C3%A4.json", "start%4Ff%44ay.json", "startofday.json"])
            let path = container.path(of: "Defaults/startofday.json")
            #expect(try mode(path) == 0o600)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == #"{"string":"b"}"#)
            #expect(try defaults.string("startOfDay") == "a")
            #expect(try defaults.string("../x/ä") == "c")
        }
    }

    @Test("an app group's setting of another type and a damaged file are typed errors")
    func damaged() async throws {
        try await Toy.inDirectory { directory in
            let container = try AppGroupContainer("group.toy", root: directory, environment: [:])
            let defaults = AppGroupDefaults(filesIn: container)
            try defaults.set("five", for: "count")
            let mismatch = #expect(throws: StoreError.self) { try defaults.integer("count") }
            #expect(mismatch?.code == .corrupted)
            #expect(
                mismatch?.message
                    == "The setting count holds a text where a whole number is expected. Set it again.")
            for text in [
                "", "{", "{}", #"{"integer":1,"string":"a"}"#, #"{"integer":"a"}"#,
                #"{"integer":99999999999999999999}"#,
            ] {
                try Toy.write(text, container.path(of: "Defaults/count.json"))
                let damage = #expect(throws: StoreError.self) { try defaults.integer("count") }
                #expect(damage?.code == .corrupted)
            }
            let infinite = #expect(throws: StoreError.self) { try defaults.set(Double.infinity, for: "x") }
            #expect(infinite?.code == .valueNotRepresentable)
            for key in ["", String(repeating: "k", count: 65), "a\u{0}b"] {
                let refused = #expect(throws: StoreError.self) { try defaults.set(1, for: key) }
                #expect(refused?.code == .invalidArgument)
            }
        }
    }

    @Test("concurrent settings of an app group are all kept")
    func concurrent() async throws {
        try await Toy.inDirectory { directory in
            let container = try AppGroupContainer("group.toy", root: directory, environment: [:])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        let defaults = AppGroupDefaults(filesIn: container)
                        for round in 0..<8 { try defaults.set(round, for: "key\(number)") }
                        for round in 0..<8 { try defaults.set(round, for: "shared") }
                    }
                }
                try await group.waitForAll()
            }
            let defaults = AppGroupDefaults(filesIn: container)
            for number in 0..<16 { #expect(try defaults.integer("key\(number)") == 7) }
            let shared = try #require(try defaults.integer("shared"))
            #expect((0..<8).contains(shared))
        }
    }
}
