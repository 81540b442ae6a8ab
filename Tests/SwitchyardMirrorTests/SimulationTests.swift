import MirrorSimulation
import Testing

@Suite("The mirror in simulated time")
struct SimulationTests {
    @Test(
        "devices and server agree after losses, kills, restores, clones and wrong clocks",
        arguments: SimulatedWorld.allCases)
    func seeds(world: SimulatedWorld) throws {
        for seed in UInt64(1)...100 {
            var simulation = Simulation(seed: seed, world: world)
            #expect(throws: Never.self, "seed \(seed)") { try simulation.run(0..<200) }
        }
    }

    @Test("a seed always gives the same run", arguments: SimulatedWorld.allCases)
    func repeats(world: SimulatedWorld) throws {
        var digests: Set<UInt64> = []
        for seed in UInt64(1)...20 {
            var (first, second) = (Simulation(seed: seed, world: world), Simulation(seed: seed, world: world))
            try first.run(0..<200)
            try second.run(0..<200)
            #expect(first.digest == second.digest, "seed \(seed)")
            digests.insert(first.digest)
        }
        #expect(digests.count == 20)
    }

    @Test("a run with a trace has the digest of one without")
    func traces() throws {
        var (traced, plain) = (Simulation(seed: 1, isTraced: true), Simulation(seed: 1))
        try traced.run(0..<200)
        try plain.run(0..<200)
        #expect(traced.digest == plain.digest)
        #expect(traced.trace.count > 200)
        #expect(plain.trace.isEmpty)
    }

    @Test(
        "a failing seed is shrunk to the few steps that break the same promise",
        arguments: [PlantedBug.arrivalWins, .verdictsWithoutRows, .losersSwapped])
    func shrinks(bug: PlantedBug) throws {
        let seed = try #require(Self.catchers[bug])
        func promise(_ steps: some Sequence<Int>) -> String? {
            var simulation = Simulation(seed: seed, bug: bug)
            do { try simulation.run(steps) } catch { return Simulation.Failure(error).promise }
            return nil
        }
        let short = try #require(Simulation.shrink(seed: seed, bug: bug, steps: 200))
        #expect(short.promise == promise(0..<200))
        #expect(short.steps.count <= 30)
        #expect(!short.trace.isEmpty)
        // No step is there in vain.
        for step in short.steps { #expect(promise(short.steps.filter { $0 != step }) != short.promise) }
        #expect(Simulation.shrink(seed: seed, steps: 200)?.steps == nil)
    }

    @Test("each planted bug is caught by the seed that is known to", arguments: PlantedBug.allCases)
    func bugs(bug: PlantedBug) throws {
        let seed = try #require(Self.catchers[bug], "no seed is known that catches \(bug)")
        var simulation = Simulation(seed: seed, world: bug.world, bug: bug)
        #expect(throws: (any Error).self) { try simulation.run(0..<200) }
    }

    @Test(
        "seeds that have shown a mistake show none any more",
        arguments: [
            // An edit of a row that another one has taken in met that one's insert.
            (SimulatedWorld.policies, UInt64(8_292)),
            // A row that an offer had brought back was still taken for the one that had taken it in.
            (.policies, 10_185),
            // The row that an offered row refers to was merged into another one, which it refers to since.
            (.policies, 103_707),
            // A row had the key of another one that had left it, and came back to it.
            (.policies, 10_004_217),
            // A row that was merged into one, came back and was merged into another had led references to the first.
            (.policies, 30_000_691),
            // A device that had received all rows knew no place that it had in common with a restored server.
            (.family, 10_051_991),
            (.family, 10_059_383),
            (.household, 10_049_667),
            // A process received a page while another one on the file had rows on offer.
            (.household, 50_004_433),
            (.policies, 65_014_097),
            // The row that another one refers to was merged away while an offer led that one elsewhere.
            (.policies, 400_075_299),
            // A restored server got a mutation that it had lost once more, so that the edits after it had seen it again.
            (.household, 50_006_331),
            // Rows that waited for a verdict, which another process on the file got, were taken for such as never fit.
            (.household, 33_487),
        ])
    func mended(world: SimulatedWorld, seed: UInt64) throws {
        var simulation = Simulation(seed: seed, world: world)
        try simulation.run(0..<200)
    }

    /// A seed that catches each planted bug: the first one that does.
    private static let catchers: [PlantedBug: UInt64] = [
        .noDeduplication: 1,
        .countersForIDs: 1,
        .newIDOnRetry: 1,
        .mutationsSkipped: 1,
        .staleBatchesDropped: 1,
        .rejectionBlocks: 1,
        .verdictsOnce: 1,
        .failureForgets: 1,
        .horizonIgnored: 41,
        .wholeRows: 1,
        .noValuesBefore: 1,
        .laterValuesSealed: 1,
        .unsealedOverwritten: 1,
        .reinsertForgotten: 1,
        .rejectedIsForgotten: 1,
        .verdictBeforePages: 6,
        .cursorPerPage: 1,
        .cursorBeforeRows: 5,
        .verdictsWithoutRows: 1,
        .repeatsWithoutRows: 1,
        .rowsOfEarlierRead: 1,
        .noOverlay: 1,
        .noBase: 1,
        .seenIsIgnored: 138,
        .staleAnswer: 3,
        .misfitsSkipped: 3,
        .misfitsReplace: 3,
        .retryWithNextWrite: 1,
        .writesUnheard: 2,
        .gateStaysShut: 1,
        .outdatedIsIgnored: 383,
        .resumedWithoutPages: 2,
        .stagesShared: 184,
        .noDigest: 1,
        .bareCursor: 1,
        .sparseTrail: 901,
        .noPlaces: 10_051_991,
        .deletedRowsUnseen: 1_926,
        .offersUnlogged: 1,
        .noOffers: 3,
        .deletionsNotOffered: 14,
        .offersOverwrite: 3,
        .offersUnversioned: 3,
        .offersPending: 1,
        .cursorsNotRewound: 1,
        .missingHouseholdDeletes: 1,
        .pruningUnseen: 22,
        .expiredTokenHidesDeletions: 3,
        .deletionsUntold: 1,
        .arrivalWins: 1,
        .tiesByArrival: 15,
        .futureUncapped: 1,
        .valuesBeforeIgnored: 15,
        .noConflictLog: 1,
        .losersSwapped: 1,
        .insertsOfConflictsDropped: 1,
        .deleteRulesUnrun: 3,
        .parentsUnchecked: 2,
        .nullifyCascades: 3,
        .denyCascades: 5,
        .cascadeDenies: 3,
        .neverResurrected: 1,
        .resurrectedFromAnother: 8,
        .roleOfEarlierRead: 4,
        .readersWrite: 4,
        .readersOffersAccepted: 702,
        .revokedDevicesStay: 3,
        .endsIgnored: 1,
        .revokedForgotten: 1,
        .strangersPurged: 9,
        .purgeInTwoSteps: 5,
        .revokedWritesDropped: 1,
        .unsealedPurged: 3,
        .cursorSurvivesPurge: 1,
        .stagesSurvivePurge: 1,
        .newMembershipPurged: 368,
        .goesOnAfterPurge: 1_154,
        .policiesIgnored: 1,
        .countersByTime: 4,
        .maximumsByTime: 1,
        .minimumsByTime: 12,
        .listsByTime: 7,
        .functionsByTime: 5,
        .arrivalsByTime: 2,
        .keysUnseen: 1,
        .renamesRejected: 1,
        .mergesRejected: 1,
        .noAliases: 1,
        .referencesStay: 2,
    ]
}
