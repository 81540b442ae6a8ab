public import SwitchyardCore

/// The functions that `@Attribute(.merge(.custom("name")))` names, for the side that merges: a mirror's server.
///
/// ```swift
/// let functions = MergeFunctions(["longest": { _, current, edit in
///     guard case (.text(let ours), .text(let theirs)) = (current, edit) else { return nil }
///     return ours.count < theirs.count ? edit : current
/// }])
/// ```
public struct MergeFunctions: Sendable {
    /// Merges two values of an attribute, each in its stored form.
    ///
    /// It must depend on nothing but its arguments: a server that was restored from a backup merges again.
    ///
    /// - Parameters:
    ///   - base: The value that the edit saw; nil if it is not known, as for two inserts of one row.
    ///   - current: The server's value, which differs from `base`.
    ///   - edit: The value that the edit wrote, which differs from `current`.
    /// - Returns: The value to keep; nil to let the later edit win, which also happens with a value that the attribute
    ///   does not allow.
    public typealias Function =
        @Sendable (_ base: StoredValue?, _ current: StoredValue, _ edit: StoredValue) -> StoredValue?

    private let functions: [String: Function]

    /// Creates a table of functions by their names.
    public init(_ functions: [String: Function] = [:]) { self.functions = functions }

    subscript(name: String) -> Function? { functions[name] }

    /// Checks that there is a function for each name in a schema.
    ///
    /// - Throws: `schemaInvalid`, naming the attribute and its function.
    package func require(by schema: Schema) throws {
        for entity in schema.entities {
            for attribute in entity.attributes {
                guard case .custom(let name) = attribute.merge, functions[name] == nil else { continue }
                throw StoreError(
                    .schemaInvalid,
                    "\(entity.name) merges `\(attribute.name)` by the function `\(name)`, which the mirror was not given. "
                        + "Add it to its merge functions; nothing was changed.",
                    entity: entity.name, attribute: attribute.name)
            }
        }
    }
}
