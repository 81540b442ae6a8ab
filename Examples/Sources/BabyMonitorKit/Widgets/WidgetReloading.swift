/// Asks the system to redraw widgets.
public protocol WidgetReloading: Sendable {
    /// Reloads all of the app's widgets.
    func reloadWidgets() async throws
}
