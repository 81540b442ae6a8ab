/// A mistake that the simulation makes on purpose, to show that it finds it.
///
/// The code of the mirror has no switch for them: the simulated storage changes what goes into it or comes out.
public enum PlantedBug: String, CaseIterable, Sendable {
    // MARK: Once, and in order

    /// The server carries out a mutation again when it is sent again.
    case noDeduplication
    /// The server takes a mutation whose number is not above its device's last one for one that it has carried out.
    case countersForIDs
    /// A device gives a mutation another id each time that it sends it.
    case newIDOnRetry
    /// A device counts the mutations that it has sent, and sends those after that number (Zero, pull request 6340).
    case mutationsSkipped
    /// The server answers no request with a mutation that has not seen its head (LiveStore, issue 744).
    case staleBatchesDropped
    /// The server stops at a rejected mutation, and gives no verdict on it or the next ones.
    case rejectionBlocks
    /// The server gives each verdict once (powersync.dart, issue 464: rows wait for an echo that is not repeated).
    case verdictsOnce
    /// A failed request takes its mutations out of the outbox (sqlite-data, issue 432).
    case failureForgets
    /// A mutation that the pruned history may have carried out is carried out again.
    case horizonIgnored

    // MARK: Sealing

    /// A device sends each attribute of an edited row.
    case wholeRows
    /// A device does not tell which values its edits saw.
    case noValuesBefore
    /// A device seals each edit with the values that its row has in the end.
    case laterValuesSealed
    /// Rows of the server are written over local writes that are not sealed yet.
    case unsealedOverwritten
    /// Of a row that is deleted and inserted again, the delete alone is sent (sqlite-data, issue 418).
    case reinsertForgotten
    /// A rejected mutation is forgotten.
    case rejectedIsForgotten

    // MARK: The exchange's rules

    /// Rule 1: verdicts are stored before the last page is there.
    case verdictBeforePages
    /// Rule 1: the cursor moves on with each page, before its rows are complete.
    case cursorPerPage
    /// Rule 1: the cursor is stored in a transaction before that of the rows.
    case cursorBeforeRows
    /// Rule 2: the rows of rejected and merged mutations are not in the page.
    case verdictsWithoutRows
    /// Rule 2: the rows of a verdict that is given again are not in the page.
    case repeatsWithoutRows
    /// Rule 2: the page's rows are older than its verdicts (Turso, pull request 3860).
    case rowsOfEarlierRead
    /// Rule 3: rows of the server replace pending changes.
    case noOverlay
    /// Rule 3: what is beneath pending changes is not kept.
    case noBase
    /// Rule 4: the server does not compare the head that earlier pages were read at.
    case seenIsIgnored
    /// Rule 5: an answer to an older request is taken for one to the newest.
    case staleAnswer
    /// Rule 6: rows that do not fit beside pending ones are left out.
    case misfitsSkipped
    /// Rule 6: pending mutations are given up for rows that do not fit beside them.
    case misfitsReplace
    /// Rule 7: a failed exchange is tried again with the next write (powersync-swift, issue 179).
    case retryWithNextWrite
    /// Rule 7: a write starts no exchange (powersync-swift, issue 160).
    case writesUnheard
    /// What one process has begun to send keeps every other one from applying (powersync-sqlite-core, issue 162).
    case gateStaysShut
    /// A process applies its pages whatever another one on the same file has applied meanwhile.
    case outdatedIsIgnored

    /// A process goes on with a stage whose pages it does not have.
    case resumedWithoutPages
    /// The processes on one file put their pages into one stage.
    case stagesShared

    // MARK: Restored, pruned and missing servers

    /// A place in the history is compared by its number alone.
    case noDigest
    /// The server believes every cursor.
    case bareCursor
    /// A device remembers no place but its last.
    case sparseTrail
    /// A page of all rows tells of no places before it.
    case noPlaces
    /// A device that has received all rows goes on from a place before, without the rows that were deleted in between.
    case deletedRowsUnseen
    /// The server does not log what it takes of no offer.
    case offersUnlogged
    /// A device offers nothing to a restored server.
    case noOffers
    /// A device does not offer what was deleted.
    case deletionsNotOffered
    /// Offers overwrite what was edited since.
    case offersOverwrite
    /// An offer does not tell how old its rows are.
    case offersUnversioned
    /// A device offers rows with its pending changes.
    case offersPending
    /// Pending mutations keep saying that they have seen what the server has lost.
    case cursorsNotRewound
    /// A household that the server lacks is deleted on the device (sqlite-data, issue 551).
    case missingHouseholdDeletes
    /// A device is not told that the changes since its cursor are pruned.
    case pruningUnseen
    /// All rows after a pruned cursor leave those that others have deleted (CloudKit's expired change token).
    case expiredTokenHidesDeletions
    /// The server does not tell of deleted rows.
    case deletionsUntold

    // MARK: Merging

    /// The edit that reaches the server last wins, however old it is.
    case arrivalWins
    /// Of two edits of one time the one that reaches the server last wins (sqlite-data, pull request 506).
    case tiesByArrival
    /// A clock that is ahead decides by its own time.
    case futureUncapped
    /// The server does not look at the values that edits saw.
    case valuesBeforeIgnored
    /// Values that lose are not logged.
    case noConflictLog
    /// The log names the winner as the loser.
    case losersSwapped
    /// The rows that a mutation inserts are dropped if it meets a conflict (sqlite-data, issue 315).
    case insertsOfConflictsDropped
    /// The delete rules are not run again on the server.
    case deleteRulesUnrun
    /// The server does not see that a row refers to one that is gone.
    case parentsUnchecked
    /// The server deletes rows whose reference it should make nil.
    case nullifyCascades
    /// The server deletes rows that protect the one that they refer to.
    case denyCascades
    /// The server rejects a delete whose rule takes other rows along.
    case cascadeDenies
    /// An edit of a deleted row brings no row back (Turso, issue 6617).
    case neverResurrected
    /// A row comes back with the values of another one.
    case resurrectedFromAnother

    // MARK: The household

    /// Whether a device may write is read before the change of a role or a revocation, and holds after it.
    case roleOfEarlierRead
    /// The server carries out what a reader sends.
    case readersWrite
    /// The server takes from a reader what it has lost.
    case readersOffersAccepted
    /// The server asks about the member alone, whose lost phone goes on.
    case revokedDevicesStay
    /// A membership goes on after its end.
    case endsIgnored
    /// The server forgets whom it has revoked, and takes them for strangers, who keep their rows.
    case revokedForgotten
    /// A device that the server does not know is purged.
    case strangersPurged
    /// A purge removes the rows before the rest.
    case purgeInTwoSteps
    /// The writes that were not decided on are gone with the membership.
    case revokedWritesDropped
    /// The writes that were not sealed are gone with the membership.
    case unsealedPurged
    /// A device that is invited again goes on from its old cursor.
    case cursorSurvivesPurge
    /// The pages that wait for the last one stay.
    case stagesSurvivePurge
    /// A process that is told of the end purges a file that has joined again since.
    case newMembershipPurged
    /// A process goes on with a file that another one has purged.
    case goesOnAfterPurge

    // MARK: Merge policies

    /// The later edit wins, whatever policy an attribute has.
    case policiesIgnored
    /// The later edit of a counter wins.
    case countersByTime
    /// The later edit of a maximum wins.
    case maximumsByTime
    /// The later edit of a minimum wins.
    case minimumsByTime
    /// The later edit of a list wins.
    case listsByTime
    /// The later edit wins instead of a function.
    case functionsByTime
    /// The later edit wins instead of the last to arrive.
    case arrivalsByTime
    /// The server does not see that a unique key is taken.
    case keysUnseen
    /// A row that should get another name is rejected.
    case renamesRejected
    /// A row that should be merged into another is rejected.
    case mergesRejected
    /// The server forgets which rows were merged into others.
    case noAliases
    /// The server finds no references to rows that it merges into others.
    case referencesStay

    /// The world whose rows show the bug.
    public var world: SimulatedWorld {
        switch self {
        case .policiesIgnored, .countersByTime, .maximumsByTime, .minimumsByTime, .listsByTime,
            .functionsByTime, .arrivalsByTime, .keysUnseen, .renamesRejected, .mergesRejected, .noAliases,
            .referencesStay:
            .policies
        case .roleOfEarlierRead, .readersWrite, .readersOffersAccepted, .revokedDevicesStay,
            .endsIgnored, .revokedForgotten, .strangersPurged, .purgeInTwoSteps, .revokedWritesDropped,
            .unsealedPurged, .cursorSurvivesPurge, .stagesSurvivePurge, .newMembershipPurged,
            .goesOnAfterPurge:
            .household
        default: .family
        }
    }
}
