public import ArgumentParser
internal import Foundation
internal import SwitchyardCore
public import SwitchyardMirror

/// The commands by which people share a household.
extension MirrorCommand {
    package struct Join: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "join", abstract: "Joins a household by a link, and exchanges once.",
                discussion: """
                    The rows that the store has are sent to the household, and those of the household come beside them. The store \
                    remembers the service and its token. The link is a secret: with - it is read from standard input.
                    """)
        }

        @Argument(help: "The link, switchyard://join/…, or -.") var link: String
        @Option(help: "The name by which the others know you; none for another device of yours.") var name:
            String?
        @Option(help: "This device's name.") var device: String?
        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let call = call
            let link = try HouseholdLink(link == "-" ? readLine(strippingNewline: true) ?? "" : link)
            try await Session.run(call, for: .filling) { session in
                _ = try await session.store.join(link, as: name, device: device ?? Session.deviceName)
                try await session.showHousehold(call, exchanging: true)
            }
        }
    }

    package struct Members: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "members", abstract: "Shows who belongs to the household, and who is invited.")
        }

        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            let call = call
            try await Session.run(call, for: .changing) { try await $0.showHousehold(call) }
        }
    }

    package struct Share: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "share", abstract: "Prints a link by which somebody joins the household.",
                discussion: """
                    Whoever has the link can accept it, as often as it says. Only an owner invites others; everybody may add a \
                    device of their own.
                    """)
        }

        @Option(help: "owner, member or reader; none for another device of yours.") var role: HouseholdRole?
        @Option(help: "For how many hours the link can be accepted.") var hours = 24
        @Option(help: "How often it can be accepted.") var uses = 1
        @Option(
            help: ArgumentHelp("When the membership ends: \(TimeText.forms).", valueName: "time"),
            transform: TimeText.init)
        var until: TimeText?
        @Option(help: ArgumentHelp("Withdraw an invitation instead.", valueName: "id")) var withdraw: String?
        @Flag(help: "Shows the link as a QR code too, for a phone's camera.") var qr = false
        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func validate() throws {
            guard (1...720).contains(hours) else {
                throw ValidationError("A link is open for 1 to 720 hours.")
            }
        }

        package func run() async throws {
            let call = call
            try call.requireForPeople(qr, "--qr")
            let withdrawn = try withdraw.map { try identifier($0) }
            try await Session.run(call, for: .changing) { session in
                try await session.withHousehold { store in
                    if let withdrawn { return try await store.withdraw(invitation: withdrawn) }
                    let link = try await store.invite(
                        role, lifetime: hours * 3_600, uses: uses, membershipEnds: try until?.start(session))
                    if call.json { return try Terminal.print(json: ["link": link.text]) }
                    Terminal.print(link.text)
                    if qr { Terminal.print(qrCodeOf: link.text) }
                }
            }
        }
    }

    package struct Revoke: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "revoke",
                abstract:
                    "Ends a membership, or removes a device; the rows are removed from the devices concerned."
            )
        }

        @Option(help: ArgumentHelp("The member.", valueName: "id")) var member: String?
        @Option(help: ArgumentHelp("The device.", valueName: "id")) var device: String?
        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func validate() throws {
            guard (member == nil) != (device == nil) else {
                throw ValidationError("Give one of --member and --device, as the command members shows them.")
            }
        }

        package func run() async throws {
            let call = call
            let (member, device) = (
                try member.map { try identifier($0) }, try device.map { try identifier($0) }
            )
            try await Session.run(call, for: .changing) { session in
                try await session.withHousehold { store in
                    if let member { try await store.revoke(member: member) }
                    if let device { try await store.revoke(device: device) }
                }
            }
        }
    }

    package struct Leave: StoreSubcommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "leave",
                abstract: "Takes this device out of the household, and removes its rows here.")
        }

        @Flag(help: "Keep the rows here, as a store of its own.") var keepRows = false
        @Flag(help: "Forget what was not sent or was rejected.") var discardUnsent = false
        @OptionGroup package var place: App.Place
        @OptionGroup package var options: App.Options

        package init() {}

        package func run() async throws {
            try await Session.run(call, for: .changing) { session in
                try await session.withHousehold {
                    try await $0.leave(keepingRows: keepRows, discardingUnsent: discardUnsent)
                }
            }
        }
    }
}

/// The id that an argument is.
private func identifier(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw UsageError("`\(text)` is not an id, which is a UUID.")
    }
    return id
}

extension HouseholdRole: ExpressibleByArgument {}

extension StoreSession {
    /// Runs work with the mirrored store, whose household a service knows.
    fileprivate func withHousehold<Value>(_ work: (MirroredStore) async throws -> Value) async throws -> Value
    {
        try await mirroring(required: true) { mirror in
            guard let mirror else { throw StoreError(.notFound, "The store mirrors no server.") }
            return try await work(mirror)
        }
    }

    fileprivate func showHousehold(_ call: StoreCall, exchanging: Bool = false) async throws {
        try await withHousehold { mirror in
            if exchanging { try await mirror.exchange() }
            try HouseholdOutput(try await mirror.household()).show(asJSON: call.json)
        }
    }
}

/// A household in a command's output.
public struct HouseholdOutput: Encodable {
    private struct Member: Encodable {
        let id: String
        let name: String
        let role: String
        let isMe: Bool
        @OrNull var ends: Date?
        let devices: [Device]

        init(_ member: Household.Member, isMe: Bool) {
            (id, name) = (member.id.uuidString.lowercased(), member.name)
            (role, self.isMe) = (member.role.rawValue, isMe)
            devices = member.devices.map { Device($0) }
            ends = member.ends
        }
    }

    private struct Device: Encodable {
        let id: String
        @OrNull var name: String?
        @OrNull var lastSeen: Date?

        init(_ device: Household.Device) {
            id = device.id.uuidString.lowercased()
            (name, lastSeen) = (device.name, device.lastSeen)
        }
    }

    private struct Invitation: Encodable {
        let id: String
        /// Nil for another device of its member.
        @OrNull var role: String?
        let expires: Date
        let uses: Int

        init(_ invitation: Household.Invitation) {
            (id, uses) = (invitation.id.uuidString.lowercased(), invitation.uses)
            expires = invitation.expires
            role = invitation.role?.rawValue
        }
    }

    private let members: [Member]
    private let invitations: [Invitation]

    /// Prepares to show a household.
    public init(_ household: Household) {
        members = household.members.map { Member($0, isMe: $0.id == household.me) }
        invitations = household.invitations.map { Invitation($0) }
    }

    /// Prints it.
    public func show(asJSON json: Bool) throws {
        if json { return try Terminal.print(json: self) }
        let time = ISO8601DateFormatter()
        for member in members {
            let end = member.ends.map { ", until \(time.string(from: $0))" } ?? ""
            Terminal.print("\(member.role)  \(member.name)\(member.isMe ? " (you)" : "")\(end)  \(member.id)")
            for device in member.devices {
                let seen = device.lastSeen.map { "seen \(time.string(from: $0))" } ?? "not seen yet"
                Terminal.print("  device  \(device.name ?? "without a name"), \(seen)  \(device.id)")
            }
        }
        for invitation in invitations {
            let what = invitation.role ?? "another device"
            let uses = Terminal.count(invitation.uses, "use", "uses")
            Terminal.print(
                "invited  \(what), \(uses), until \(time.string(from: invitation.expires))  \(invitation.id)")
        }
    }
}
