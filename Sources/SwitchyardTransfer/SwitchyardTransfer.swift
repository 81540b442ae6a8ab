// What an app names of the core when it adopts a database, and at no other time.
@_exported public import protocol SwitchyardCore.ForeignDatabase
@_exported public import struct SwitchyardCore.ForeignFinding
@_exported public import enum SwitchyardCore.ForeignValue
