// For all files of this module.
@_exported public import SwitchyardRelated
