extension IntentDialog.StringInterpolation {
    /// Appends a value in its form for people.
    public mutating func appendInterpolation(_ value: some IntentValue) {
        text += value.displayRepresentation.title
    }
}
