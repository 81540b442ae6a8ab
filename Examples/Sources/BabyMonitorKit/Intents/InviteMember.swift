internal import Switchyard
public import SwitchyardIntents
public import SwitchyardMirror

/// Invites somebody to the household by a link, once the person has confirmed it.
public struct InviteMember: Intent {
    /// The intent's name for people.
    public static let title = "Invite to Household"
    /// What the intent does.
    public static let description = "Makes a link by which one person joins the household within a day."

    /// What the invited person may do.
    @Parameter(title: "Role", default: .member) public var role: HouseholdRole

    /// Creates the intent with only its default values.
    public init() {}

    /// Asks for a confirmation, makes the link and returns it.
    public func perform(_ run: IntentRun) async throws -> IntentResult {
        let time = run.now
        try await run.context.store.read { try $0.requireMayInvite(at: time) }
        let right = role.mayWrite ? "see and change" : "see"
        let others = role.mayManage ? ", and invite or remove others" : ""
        try await run.requestConfirmation(
            "Whoever gets the link can \(right) everything in this household\(others). Make it?")
        let link = try await run.dependency(HouseholdInviter.self).invite(role)
        return .result(value: link.text, dialog: "Send this link; it works once, within a day: \(link.text)")
    }
}

/// Makes invitations to the household, however the app reaches its service.
public struct HouseholdInviter: Sendable {
    let invite: @Sendable (HouseholdRole) async throws -> HouseholdLink

    /// Creates one from how an invitation is made.
    public init(_ invite: @escaping @Sendable (HouseholdRole) async throws -> HouseholdLink) {
        self.invite = invite
    }
}
