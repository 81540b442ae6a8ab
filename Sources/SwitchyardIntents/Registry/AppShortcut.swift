/// An intent that can be run by saying a phrase.
///
/// ```swift
/// AppShortcut(
///     intent: StartFeeding(),
///     phrases: ["Start feeding for ${app}", "Start feeding ${baby} in ${app}"],
///     shortTitle: "Start Feeding")
/// ```
public struct AppShortcut: Sendable {
    /// The intent, with values for the parameters that the phrases do not name.
    public let intent: any Intent
    /// The phrases.
    public let phrases: [AppShortcutPhrase]
    /// The shortcut's name for people.
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
/// `${app}` stands for a name of the app, and `${baby}` for the value of the parameter `baby`. Each placeholder
/// is a separate word.
public struct AppShortcutPhrase: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The phrase with its placeholders.
    public let text: String

    /// Creates a phrase from text with placeholders.
    public init(_ text: String) { self.text = text }

    /// Creates a phrase from a literal with placeholders.
    public init(stringLiteral text: String) { self.text = text }
}

/// The shortcuts of an app.
public protocol AppShortcutsProvider {
    /// The shortcuts.
    static var appShortcuts: [AppShortcut] { get }
}
