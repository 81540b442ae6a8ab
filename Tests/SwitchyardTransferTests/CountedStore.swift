import SwitchyardCore

/// A store in which somebody is at work after each time that its commits were counted.
struct CountedStore: WrappingStore, CommitCounting {
    let base: any Store
    let counting: any CommitCounting
    let work: @Sendable () async -> Void

    func commitCount() async -> Int? {
        let count = await counting.commitCount()
        await work()
        return count
    }
}
