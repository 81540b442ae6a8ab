/// A store that can tell whether somebody else has committed to it.
package protocol OtherCommitsTelling: Store {
    /// A number that has changed if, since it was last asked for, anything was committed but by this store object, in this
    /// process or in another.
    ///
    /// - Returns: The number; nil if the store cannot tell.
    func versionOfOthers() async -> Int?
}
