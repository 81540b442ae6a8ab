/// Why compressed or archived bytes cannot be read, without their contents.
struct UnreadableArchive: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
