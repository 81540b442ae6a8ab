// For all files of this module.
@_exported public import SwitchyardFiles
@_exported public import SwitchyardMigration
