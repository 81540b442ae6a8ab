// What an app sees of the core, and no more: a backend imports SwitchyardCore itself.
public import SwitchyardCore

@_exported public import struct SwitchyardCore.Aggregate
@_exported public import protocol SwitchyardCore.AttributeValue
@_exported public import struct SwitchyardCore.CalendarDay
@_exported public import struct SwitchyardCore.Change
@_exported public import enum SwitchyardCore.DeleteRule
@_exported public import struct SwitchyardCore.Grouping
@_exported public import struct SwitchyardCore.Identifier
@_exported public import protocol SwitchyardCore.Model
@_exported public import struct SwitchyardCore.OpenOptions
@_exported public import typealias SwitchyardCore.OperationID
@_exported public import struct SwitchyardCore.Page
@_exported public import struct SwitchyardCore.PageCursor
@_exported public import struct SwitchyardCore.PluginRegistry
@_exported public import struct SwitchyardCore.Query
@_exported public import struct SwitchyardCore.ReadOptions
@_exported public import class SwitchyardCore.ReadTransaction
@_exported public import struct SwitchyardCore.SchemaVersion
@_exported public import struct SwitchyardCore.Scoped
@_exported public import struct SwitchyardCore.SettlingStore
@_exported public import enum SwitchyardCore.SortDirection
@_exported public import struct SwitchyardCore.SortKey
@_exported public import protocol SwitchyardCore.Store
@_exported public import enum SwitchyardCore.StoreCapability
@_exported public import struct SwitchyardCore.StoreError
@_exported public import struct SwitchyardCore.StoreInfo
@_exported public import struct SwitchyardCore.StoreMarker
@_exported public import protocol SwitchyardCore.StorePlugin
@_exported public import enum SwitchyardCore.StoreRole
@_exported public import typealias SwitchyardCore.StoreScope
@_exported public import enum SwitchyardCore.StoredValue
@_exported public import struct SwitchyardCore.ToMany
@_exported public import protocol SwitchyardCore.VersionedSchema
@_exported public import struct SwitchyardCore.WriteOptions
@_exported public import class SwitchyardCore.WriteTransaction

/// What `@Model` writes; not to be used by hand.
public typealias _Entity = SwitchyardCore.Entity
/// What `@Model` writes; not to be used by hand.
public typealias _EntityDeclaration = SwitchyardCore.EntityDeclaration
/// What `@Model` writes; not to be used by hand.
public typealias _RowReader = SwitchyardCore.RowReader
/// What `@Model` writes; not to be used by hand.
public typealias _RowWriter = SwitchyardCore.RowWriter
/// What `@Model` writes; not to be used by hand.
public typealias _Unversioned = SwitchyardCore.Unversioned
