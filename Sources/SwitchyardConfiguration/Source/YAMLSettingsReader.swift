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
            // A file that is empty or has only comments sets nothing.
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
                    throw SettingsSyntaxError("a key is not text", line: line)
                }
                // Aliases can expand a small text into a huge tree.
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

        /// The problem and its position.
        ///
        /// The parser's own error would quote the surrounding text, which may contain a password, in terms of tokens
        /// and block mappings.
        private static func syntaxError(_ error: any Error) -> SettingsSyntaxError {
            switch error as? YamlError {
            case .scanner(_, _, let mark, _), .parser(_, _, let mark, _):
                SettingsSyntaxError(
                    "this is not YAML; look at the indentation, the quotes and the colons here and in the line before",
                    line: mark.line, column: mark.column)
            case .composer(_, _, let mark, _):
                SettingsSyntaxError(
                    "the alias `*NAME` has no anchor `&NAME` before it", line: mark.line,
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
