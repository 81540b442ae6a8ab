import ArgumentParser
import Switchyard
import SwitchyardCore
import SwitchyardTransfer

/// What is done to a depot.
enum DepotWork: String, ExpressibleByArgument, Sendable {
    case repair, adopt, convert

    /// Does it.
    ///
    /// - Parameters:
    ///   - url: Where the depot is.
    ///   - target: Where a new store is made of it, if one is.
    /// - Returns: Whether there was anything to do.
    /// - Throws: Any other error than that of work that was done before.
    fileprivate func run(at url: String, into target: String?) async throws -> WorkWord {
        let registry = try Backends.registry
        do {
            switch self {
            case .repair:
                let report = try await registry.repair(url: url, migrating: DepotPlan.self)
                return report.diagnosis.isSound ? .wasDone : .done
            case .adopt:
                try await registry.adopt(
                    url: url, as: DepotPlan.self, options: OpenOptions(keepsHistory: true))
            case .convert:
                try await AdoptionPlan(Depot1.self).run(
                    from: registry.foreignDatabase(url: url),
                    into: StorePlace(url: target ?? "", registry: registry, schema: Depot1.schema))
            }
            return .done
        } catch let error as StoreError where error.code == refusal { return .wasDone }
    }

    /// The code of the error that tells that it was done before.
    private var refusal: StoreError.Code? {
        switch self {
        case .repair: nil
        case .adopt: .invalidArgument
        case .convert: .placeTaken
        }
    }
}

/// `Chaos depot`: a process that repairs, adopts or converts a depot, and may be killed while it does.
struct DepotProcess: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "depot", abstract: "Repairs, adopts or converts a depot.", shouldDisplay: false)

    @Option var work: DepotWork
    @Option var store: String
    @Option var into: String?

    func run() async throws {
        try await WorkProcess.run { try await work.run(at: store, into: into) }
    }
}
