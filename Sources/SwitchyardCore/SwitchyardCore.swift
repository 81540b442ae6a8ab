// Everything that a backend is written with.
@_exported public import SwitchyardFiles
@_exported public import SwitchyardHistory
@_exported public import SwitchyardMigration
@_exported public import SwitchyardModel
@_exported public import SwitchyardPlaces
@_exported public import SwitchyardRelated
@_exported public import SwitchyardRowStore
@_exported public import SwitchyardStore
@_exported public import SwitchyardValue
