internal import Foundation
public import SwitchyardCore

/// The lint of one plan, with its files: what an executable offers as `schema-lint` and `schema-freeze`.
///
/// `swift package schema-lint` checks a package whose executable depends on SwitchyardLint. The executable
/// can be as short as this, or pass these two words on from its own arguments:
///
/// ```swift
/// SchemaLintTool.main(ItemPlan.self)
/// ```
public struct SchemaLintTool {
    /// How findings are written.
    public enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// A JSON array.
        case json
        /// For code-scanning services.
        case sarif
    }

    /// The plan.
    public let plan: any SchemaMigrationPlan.Type
    /// The lock file.
    public let lockFile: String
    /// The file of accepted findings, beside the lock file: `schema.accepted` for `schema.lock`.
    public var acceptanceFile: String {
        (lockFile.hasSuffix(".lock") ? String(lockFile.dropLast(5)) : lockFile) + ".accepted"
    }

    /// Creates a lint of a plan.
    public init(_ plan: any SchemaMigrationPlan.Type, lockFile: String = "schema.lock") {
        self.plan = plan
        self.lockFile = lockFile
    }

    /// Checks the plan.
    ///
    /// If there is no lock file, no version is frozen; if there is no file beside it, nothing is accepted.
    ///
    /// - Throws: `configuration` for a file that cannot be read.
    public func lint() throws -> SchemaLint {
        SchemaLint(
            plan, lock: try lock(),
            accepting: try read(acceptanceFile).map { try LintAcceptance.list(text: $0) } ?? [])
    }

    /// Writes findings in a format.
    public func report(_ lint: SchemaLint, as format: Format) throws -> String {
        switch format {
        case .text: lint.text
        case .json: try lint.json
        case .sarif: try lint.sarif(file: lockFile)
        }
    }

    /// Freezes the versions that the lock file does not have, and writes it.
    ///
    /// - Parameter replaced: A version to freeze again, because it was never released.
    /// - Returns: The frozen versions; if there are none, the file is not written.
    /// - Throws: As `SchemaLock.freeze`; `configuration` for a file that cannot be read or written.
    public func freeze(replacing replaced: SchemaVersion? = nil) throws -> [SchemaVersion] {
        var lock = try lock()
        let frozen = try lock.freeze(plan, replacing: replaced)
        guard !frozen.isEmpty else { return [] }
        do {
            try SmallFile.replace(path: lockFile, with: Array(lock.text.utf8))
        } catch {
            throw StoreError(.configuration, "The file \(lockFile) cannot be written: \(error.reason).")
        }
        return frozen
    }

    private func lock() throws -> SchemaLock {
        try read(lockFile).map { try SchemaLock(text: $0) } ?? SchemaLock()
    }

    /// The content of a file, if any.
    private func read(_ path: String) throws -> String? {
        do throws(SmallFile.Failure) {
            let bytes = try SmallFile(path: path, limit: 64 << 20).bytes
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .refused("it is not UTF-8")
            }
            return text
        } catch .missing {
            return nil
        } catch {
            throw StoreError(.configuration, "The file \(path) \(error.words).")
        }
    }
}
