/// Tells the system that widgets should be drawn anew.
public protocol WidgetReloading: Sendable {
    /// Asks for all of the app's widgets to be reloaded.
    func reloadWidgets() async throws
}
