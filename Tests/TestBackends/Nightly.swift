internal import Foundation

/// Tests that take minutes: `.ci/nightly` sets `SWITCHYARD_TEST_NIGHTLY` and runs them.
public enum Nightly {
    /// Whether such tests run.
    public static let isOn = ProcessInfo.processInfo.environment["SWITCHYARD_TEST_NIGHTLY"] != nil

    /// Why such a test does not run.
    public static let need = "takes minutes: .ci/nightly runs it, as does SWITCHYARD_TEST_NIGHTLY=1 Tests/run"
}
