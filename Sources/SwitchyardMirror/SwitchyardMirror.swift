// The rules that it follows, of which an app sees the functions and reasons of merges.
@_exported public import SwitchyardMirrorEngine
