#if YAML
    internal import Yams

    /// Reads the leaves of a YAML mapping as settings.
    enum YAMLSettingsReader {
        /// The leaves, in the order of the text.
        static func entries(_ text: String) throws(SettingsSyntaxError) -> [ConfigurationFile.Entry] {
            let root: Node?
            do {
                root = try Parser(yaml: text).singleRoot()
            } catch {
                throw syntaxError(error)
            }
            // An empty file, or one of comments only, sets nothing.
            guard let root else { return [] }
            var entries: [ConfigurationFile.Entry] = []
            if let scalar = root.scalar, isNull(scalar) { return [] }
            guard case .mapping(let mapping) = root else {
                throw SettingsSyntaxError(
                    "a configuration is a YAML mapping, `key: value`", line: root.mark?.line ?? 1)
            }
            try add(mapping, path: [], to: &entries)
            return entries
        }

        private static func add(
            _ mapping: Node.Mapping, path: [String], to entries: inout [ConfigurationFile.Entry]
        )
            throws(SettingsSyntaxError)
        {
            for (name, node) in mapping {
                let line = name.mark?.line ?? node.mark?.line ?? 1
                guard let key = name.scalar?.string else {
                    throw SettingsSyntaxError("a key is not a text", line: line)
                }
                // Aliases can make a small text into a huge tree.
                guard path.count < ConfigurationFile.depthLimit, entries.count < ConfigurationFile.entryLimit
                else {
                    throw SettingsSyntaxError(
                        "there are too many settings, or they are nested too deeply", line: line)
                }
                let value: ConfigurationFile.Value
                switch node {
                case .mapping(let inner) where !inner.isEmpty:
                    try add(inner, path: path + [key], to: &entries)
                    continue
                case .mapping: value = .emptyObject
                case .sequence: value = .list
                case .alias: value = .null
                case .scalar(let scalar): value = isNull(scalar) ? .null : .text(scalar.string)
                }
                entries.append(.init(key: (path + [key]).joined(separator: "."), value: value, line: line))
            }
        }

        private static func isNull(_ scalar: Node.Scalar) -> Bool {
            (scalar.style == .plain || scalar.style == .any)
                && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
        }

        /// The problem and its place.
        ///
        /// The error itself would quote the text around it, and with it perhaps a password; and its words are
        /// the parser's own, of tokens and block mappings.
        private static func syntaxError(_ error: any Error) -> SettingsSyntaxError {
            switch error as? YamlError {
            case .scanner(_, _, let mark, _), .parser(_, _, let mark, _):
                SettingsSyntaxError(
                    "this is not YAML; look at the indentation, the quotes and the colons here and in the line before",
                    line: mark.line, column: mark.column)
            case .composer(_, _, let mark, _):
                SettingsSyntaxError(
                    "an alias `*NAME` stands here without an anchor `&NAME` before it", line: mark.line,
                    column: mark.column)
            case .duplicatedKeysInMapping(let keys, let context):
                SettingsSyntaxError(
                    "`\(keys.joined(separator: "`, `"))` is given twice", line: context.mark.line)
            case .reader:
                SettingsSyntaxError("it holds bytes or control characters that YAML does not allow", line: 1)
            default: SettingsSyntaxError("it is not YAML", line: 1)
            }
        }
    }
#endif
