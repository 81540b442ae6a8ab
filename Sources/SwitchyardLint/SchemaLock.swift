public import SwitchyardCore

/// The schemas of all versions that were released, as lines of text for a file that is committed.
///
/// ```
/// schema 1.0.0 5f0c…
/// entity Item
///   id: uuid
///   name: text
/// ```
///
/// The number after the version is the schema's fingerprint, which also covers the filters of indexes.
public struct SchemaLock: Sendable, Hashable {
    /// A frozen version.
    public struct Version: Sendable, Hashable {
        /// The version.
        public let version: SchemaVersion
        /// The schema's fingerprint.
        public let fingerprint: String
        /// The entities, one line for each and for each of their parts.
        public let lines: [String]

        fileprivate init(_ version: SchemaVersion, _ fingerprint: String, _ lines: [String]) {
            (self.version, self.fingerprint, self.lines) = (version, fingerprint, lines)
        }

        /// Freezes a schema.
        init(_ schema: Schema) {
            version = schema.version
            fingerprint = schema.fingerprint
            lines = schema.description.lines.dropFirst().map { String($0) }
        }

        fileprivate var text: String {
            (["schema \(version) \(fingerprint)"] + lines).joined(separator: "\n") + "\n"
        }
    }

    /// The versions, the oldest first.
    public private(set) var versions: [Version] = []

    /// Creates a lock without versions.
    public init() {}

    /// The version with a number; nil if it is not frozen.
    public subscript(version: SchemaVersion) -> Version? { versions.first { $0.version == version } }

    /// Freezes the versions of a plan that are not yet frozen.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - replaced: A version that is frozen anew, because it was never released.
    /// - Returns: The versions that were frozen.
    /// - Throws: `schemaInvalid` for a version that contradicts itself or is repeated; `schemaMismatch` for
    ///   one that was changed since it was frozen; `invalidArgument` if the plan lacks the one to replace.
    ///   The lock is then unchanged.
    public mutating func freeze(
        _ plan: any SchemaMigrationPlan.Type, replacing replaced: SchemaVersion? = nil
    ) throws -> [SchemaVersion] {
        let schemas = try plan.schemas.map { Version(try $0.schema) }
        if let replaced, !schemas.contains(where: { $0.version == replaced }) {
            throw StoreError(
                .invalidArgument,
                "The plan has no version \(replaced) that could be frozen again. Nothing was changed.")
        }
        var (kept, frozen) = (versions.filter { $0.version != replaced }, [SchemaVersion]())
        for schema in schemas {
            guard let locked = kept.first(where: { $0.version == schema.version }) else {
                kept.append(schema)
                frozen.append(schema.version)
                continue
            }
            if frozen.contains(schema.version) {
                throw StoreError(
                    .schemaInvalid, "The plan has version \(schema.version) twice. Nothing was frozen.")
            }
            if let differences = locked.differences(from: schema) {
                throw StoreError(
                    .schemaMismatch,
                    "Version \(schema.version) was changed since it was frozen: \(differences.joined(separator: "; ")). Undo "
                        + "that and make a new version, or replace this one if it was never released. Nothing was frozen."
                )
            }
        }
        versions = kept.sorted { $0.version < $1.version }
        return frozen.filter { self[$0] != nil }
    }
}

extension SchemaLock {
    /// The content of the file.
    public var text: String {
        """
        # The schemas of all versions that were released. Each stays as it is; a new version is added by freezing it.

        """ + versions.map { "\n" + $0.text }.joined()
    }

    /// Reads the content of the file.
    ///
    /// - Throws: `configuration`, naming the line that does not belong there.
    public init(text: String) throws {
        for (index, line) in text.lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
            func fault(_ message: String) -> StoreError {
                StoreError(
                    .configuration,
                    "Line \(index + 1) of the lock file \(message): `\(line)`. Take the file from the repository again."
                )
            }
            if line.hasPrefix("schema ") {
                let words = line.split(separator: " ")
                guard words.count == 3, let version = SchemaVersion(text: words[1]) else {
                    throw fault("is not a version with its fingerprint")
                }
                guard self[version] == nil else { throw fault("has a version that the file has already") }
                versions.append(Version(version, String(words[2]), []))
            } else if let last = versions.last, line.hasPrefix("entity ") || line.hasPrefix("  ") {
                versions[versions.count - 1] = Version(
                    last.version, last.fingerprint, last.lines + [String(line)])
            } else {
                throw fault("is no part of a schema")
            }
        }
    }
}

extension SchemaLock.Version {
    /// The differences of a schema, in words; nil if there are none.
    func differences(from schema: Schema) -> [String]? { differences(from: SchemaLock.Version(schema)) }

    fileprivate func differences(from other: SchemaLock.Version) -> [String]? {
        guard self != other else { return nil }
        let (mine, theirs) = (parts, other.parts)
        let phrases = Set(mine.keys).union(theirs.keys).sorted().flatMap { name -> [String] in
            guard let before = mine[name] else { return ["\(name) is new"] }
            guard let after = theirs[name] else { return ["\(name) is gone"] }
            let lost = before.filter { !after.contains($0) }.map { "\(name) no longer has `\($0)`" }
            let won = after.filter { !before.contains($0) }.map { "\(name) has `\($0)` now" }
            let isReordered = lost.isEmpty && won.isEmpty && before != after
            return lost + won + (isReordered ? ["the parts of \(name) have another order"] : [])
        }
        return phrases.isEmpty
            ? [
                "the lines are the same, and the fingerprint is another one, as with another filter of an index"
            ] : phrases
    }

    /// The lines of each entity, by the line of the entity itself.
    private var parts: [String: [String]] {
        var (parts, entity) = ([String: [String]](), "")
        for line in lines {
            if line.hasPrefix("entity ") {
                entity = line
                parts[entity] = []
            } else {
                parts[entity, default: []].append(String(line.drop { $0 == " " }))
            }
        }
        return parts
    }
}

extension SchemaVersion {
    /// Reads a version such as `8.0.0`, or `8` for short; nil for anything else.
    package init?(text: some StringProtocol) {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = words.compactMap { $0.first?.isNumber == true ? Int($0) : nil }
        guard (1...3).contains(words.count), numbers.count == words.count else { return nil }
        self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0)
    }
}

extension String {
    /// The lines, ended by the line break of any system.
    var lines: [Substring] {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
    }
}
