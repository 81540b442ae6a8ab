/// The intents of an app: lists them and runs them by name, by phrase or from JSON.
///
/// ```swift
/// let registry = try IntentRegistry(
///     [StartFeeding.self, FinishFeeding.self], applicationNames: ["BabyMonitor"],
///     shortcuts: BabyMonitorShortcuts.appShortcuts)
/// let result = try await registry.run("FinishFeeding", ["amount": "120 ml"], in: context)
/// ```
///
/// A registry is a value: create one and pass it on.
public struct IntentRegistry: Sendable {
    let entries: [Entry]
    let shortcuts: [Shortcut]
    let applicationNames: [String]

    struct Entry: Sendable {
        let type: any Intent.Type

        var name: String { type.name }
        var title: String { type.title }

        /// Recomputed each time: reading all intents' parameters takes longer than running a short command.
        var parameters: ParameterTable { get throws { try type.init().parameterTable() } }
    }

    struct Shortcut: Sendable {
        let intent: any Intent
        let name: String
        let phrases: [PhraseTemplate]
    }

    /// Creates a registry of an app's intents.
    ///
    /// An intent's parameters are read when it is listed or run; `validate()` reads those of all intents.
    ///
    /// - Parameters:
    ///   - intents: The types of the intents.
    ///   - applicationNames: The app's names, for `${app}` in phrases; the first one is shown.
    ///   - shortcuts: The phrases that run intents.
    /// - Throws: `IntentError` `declaration`, if two intents share a name or title, or a phrase has a
    ///   placeholder that stands for nothing.
    public init(
        _ intents: [any Intent.Type], applicationNames: [String] = [], shortcuts: [AppShortcut] = []
    ) throws {
        self.applicationNames = applicationNames
        let entries = intents.map(Entry.init)
        self.entries = entries
        var words: [String: String] = [:]
        for entry in entries {
            for word in Set([entry.name.lowercased(), entry.title.lowercased()]) {
                if let other = words.updateValue(entry.name, forKey: word) {
                    throw IntentError(
                        .declaration,
                        "The intents \(other) and \(entry.name) have the same name or title. Rename one.")
                }
            }
        }
        self.shortcuts = try shortcuts.map { shortcut in
            let name = type(of: shortcut.intent).name
            guard let entry = entries.first(where: { $0.name == name }) else {
                throw IntentError(
                    .declaration,
                    "The shortcut \(shortcut.shortTitle.quoted) is for \(name), which is not registered.")
            }
            let phrases = try shortcut.phrases.map { phrase in
                let template = try PhraseTemplate(phrase)
                try Self.check(template, of: phrase, entry: entry, applicationNames: applicationNames)
                return template
            }
            return Shortcut(intent: shortcut.intent, name: name, phrases: phrases)
        }
    }

    private static func check(
        _ template: PhraseTemplate, of phrase: AppShortcutPhrase, entry: Entry, applicationNames: [String]
    ) throws {
        let parameters = template.parameters
        if !parameters.isEmpty {
            let names = try entry.parameters.rows.map(\.name)
            if let stranger = parameters.first(where: { !names.contains($0) }) {
                throw IntentError(
                    .declaration,
                    "The phrase \(phrase.text.quoted) names \(stranger), which is not a parameter of \(entry.name).",
                    intent: entry.name, choices: Nearest.sorted(names, to: stranger))
            }
        }
        if template.tokens.contains(.application), applicationNames.isEmpty {
            throw IntentError(
                .declaration,
                "The phrase \(phrase.text.quoted) names the app, but the registry has no application name.",
                intent: entry.name)
        }
    }

    /// Checks the parameters of all intents; call it in a test of the app.
    ///
    /// - Throws: `IntentError` `declaration`, if an intent has a stored property that is not a parameter.
    public func validate() throws {
        for entry in entries { _ = try entry.parameters }
    }

    /// The intents described as data, in the order of registration.
    ///
    /// - Throws: As for `validate()`.
    public var intents: [IntentDeclaration] {
        get throws { try entries.map(declaration) }
    }

    func declaration(of entry: Entry) throws -> IntentDeclaration {
        IntentDeclaration(
            name: entry.name, title: entry.title, description: entry.type.description,
            parameters: try entry.parameters.rows.map { $0.parameter.declaration(name: $0.name) },
            phrases: shortcuts.filter { $0.name == entry.name }.flatMap(texts))
    }

    /// All phrases, in the order of declaration.
    public var phrases: [String] { shortcuts.flatMap(texts) }

    private func texts(of shortcut: Shortcut) -> [String] {
        shortcut.phrases.map { $0.text(application: applicationNames.first ?? "") }
    }
}

extension Intent {
    /// The parameters of this intent.
    fileprivate func parameterTable() throws -> ParameterTable { try ParameterTable(of: self) }
}
