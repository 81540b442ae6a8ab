internal import CLibPQ
internal import SwitchyardCore

/// PostgreSQL's client library, which is loaded when it is first needed.
///
/// Call its functions only after `require` has returned. A connection or a result proves that it has.
package enum LibPQ {
    #if canImport(Darwin)
        // A bare name would also be searched for in the current directory.
        private static let libraries = [
            "@rpath/libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
            "/usr/local/opt/libpq/lib/libpq.5.dylib",
        ]
    #else
        private static let libraries = ["libpq.so.5"]
    #endif

    private static let outcome = Result { try load(libraries) }

    /// Loads the library, unless it is loaded already.
    ///
    /// - Throws: `unsupported` if it is not installed or too old.
    package static func require() throws { try outcome.get() }

    /// Loads the first of these libraries that exists and has all functions.
    static func load(_ libraries: [String]) throws {
        var tooOld: StoreError?
        var reasons: [String] = []
        for library in libraries {
            var missing: UnsafePointer<CChar>?
            var reason: UnsafePointer<CChar>?
            if clibpq_load(library, &missing, &reason) { return }
            if let missing {
                tooOld = StoreError(
                    .unsupported,
                    "PostgreSQL's client library \(library) is too old: it lacks \(String(cString: missing)). Install "
                        + "libpq 14 or later.")
            }
            if let reason { reasons.append(String(cString: reason)) }
        }
        throw tooOld
            ?? StoreError(
                .unsupported,
                "PostgreSQL's client library cannot be loaded. Install libpq: the package libpq5 (Debian, Ubuntu) or libpq "
                    + "(Fedora, Homebrew).", detail: reasons.joined(separator: "; "))
    }
}
