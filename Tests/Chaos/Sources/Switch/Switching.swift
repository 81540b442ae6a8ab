import ArgumentParser
import Foundation
import Switchyard
import SwitchyardTransfer

/// `Chaos switch`: a process that switches a store to another place, and may be killed while it does.
struct Switching: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Switches a store to another place.", shouldDisplay: false)

    @Option var from: String
    @Option var to: String
    @Option var model: SwitchModel
    /// The process kills itself when it has come to this step; when it has copied a part, if that is the copying.
    @Option var dyingAt: String?
    /// The process rehearses the switch, and follows the store until another one ends that.
    @Flag var rehearse = false

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        do {
            let change = try model.change(from, to)
            let tell = { @Sendable [dyingAt] (progress: SwitchProgress) in
                Self.say("\(progress.phase.rawValue) \(progress.rows)")
                if progress.phase.rawValue == dyingAt { kill(getpid(), SIGKILL) }
            }
            guard rehearse else { return _ = try await change.run(tell) }
            try await change.rehearse(tell)
            try await change.follow()
        } catch let error as StoreError {
            let text = error.debugDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
            Self.say("error \(error.code) \(text)")
            throw ExitCode.failure
        }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}

/// What the stores hold that are switched.
enum SwitchModel: String, ExpressibleByArgument, Sendable {
    case shelf, ledger

    var schema: any VersionedSchema.Type { self == .shelf ? ShelfSchema.self : LedgerSchema.self }

    /// A place as all its users know it.
    func place(_ url: String) throws -> StorePlace {
        StorePlace(url: url, registry: try Backends.registry, schema: try schema.schema)
    }

    /// A switch; the backups of earlier ones are replaced.
    func change(_ old: String, _ new: String) throws -> StoreSwitch {
        StoreSwitch(from: try place(old), to: try place(new), replacingBackup: true)
    }

    /// Checks that no two stores are in service.
    ///
    /// - Parameters:
    ///   - old: The store that is switched.
    ///   - others: Where it is switched to. They are asked first: the old store is out of service before another one is in
    ///     service, and stays so.
    ///   - report: Where two stores in service are reported.
    /// - Returns: The roles of all of them.
    /// - Throws: What opening one throws.
    @discardableResult
    func look(_ old: String, _ others: [String], _ report: Report) async throws -> [StoreRole?] {
        var roles: [StoreRole?] = []
        for url in others { roles.append(try await place(url).marker()?.role) }
        roles.insert(try await place(old).marker()?.role, at: 0)
        report.count("states \(roles.map { $0?.rawValue ?? "none" }.joined(separator: " and "))")
        if roles.count(where: { $0 == .active }) > 1 { report.violation("two stores are in service") }
        return roles
    }
}
