@_exported public import SwitchyardCore
