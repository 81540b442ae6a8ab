// The tests of a backend import this module alone.
@_exported public import SwitchyardConformanceKit
