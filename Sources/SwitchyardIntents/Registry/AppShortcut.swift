/// An intent that can be run by saying a phrase.
///
/// ```swift
/// AppShortcut(
///     intent: StartFeeding(),
///     phrases: ["Start feeding for ${app}", "Start feeding ${baby} in ${app}"],
///     shortTitle: "Start Feeding")
/// ```
public struct AppShortcut: Sendable {
    /// The intent, with the values that the phrase does not name.
    public let intent: any Intent
    /// The phrases.
    public let phrases: [AppShortcutPhrase]
    /// What people call the shortcut.
    public let shortTitle: String

    /// Declares a shortcut.
    public init(intent: any Intent, phrases: [AppShortcutPhrase], shortTitle: String) {
        self.intent = intent
        self.phrases = phrases
        self.shortTitle = shortTitle
    }
}

/// What to say to run an intent.
///
/// `${app}` stands for a name of the app and `${baby}` for the value of the parameter `baby`; each is a word
/// of its own.
public struct AppShortcutPhrase: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The phrase with its placeholders.
    public let text: String

    /// Takes a phrase with its placeholders.
    public init(_ text: String) { self.text = text }

    /// Takes a phrase with its placeholders.
    public init(stringLiteral text: String) { self.text = text }
}

/// The shortcuts of an app.
public protocol AppShortcutsProvider {
    /// The shortcuts.
    static var appShortcuts: [AppShortcut] { get }
}
