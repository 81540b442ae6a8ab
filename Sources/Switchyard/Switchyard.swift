// The part of the core that an app sees. A backend imports SwitchyardCore itself.
public import SwitchyardCore

@_exported public import struct SwitchyardCore.Aggregate
@_exported public import struct SwitchyardCore.AppliedStage
@_exported public import protocol SwitchyardCore.AttributeValue
@_exported public import struct SwitchyardCore.CalendarDay
@_exported public import struct SwitchyardCore.Change
@_exported public import enum SwitchyardCore.Comparison
@_exported public import enum SwitchyardCore.DeleteRule
@_exported public import enum SwitchyardCore.DeletedRowPolicy
@_exported public import struct SwitchyardCore.DerivedID
@_exported public import struct SwitchyardCore.Filter
@_exported public import struct SwitchyardCore.Grouping
@_exported public import struct SwitchyardCore.Groups
@_exported public import struct SwitchyardCore.HistoryChange
@_exported public import struct SwitchyardCore.HistoryChanges
@_exported public import struct SwitchyardCore.HistoryConsumer
@_exported public import struct SwitchyardCore.HistoryRetention
@_exported public import struct SwitchyardCore.HistorySettings
@_exported public import struct SwitchyardCore.HistoryToken
@_exported public import struct SwitchyardCore.HistoryTransaction
@_exported public import struct SwitchyardCore.Identifier
@_exported public import struct SwitchyardCore.InPlaceAdoption
@_exported public import struct SwitchyardCore.InsertedValue
@_exported public import class SwitchyardCore.LiveQuery
@_exported public import enum SwitchyardCore.LiveQueryPhase
@_exported public import enum SwitchyardCore.MergePolicy
@_exported public import struct SwitchyardCore.MigrationPlan
@_exported public import struct SwitchyardCore.MigrationPreview
@_exported public import struct SwitchyardCore.MigrationProgress
@_exported public import struct SwitchyardCore.MigrationReport
@_exported public import struct SwitchyardCore.MigrationStage
@_exported public import enum SwitchyardCore.MigrationStatus
@_exported public import struct SwitchyardCore.MigrationStep
@_exported public import protocol SwitchyardCore.Model
@_exported public import enum SwitchyardCore.NilOrder
@_exported public import struct SwitchyardCore.OpenOptions
@_exported public import typealias SwitchyardCore.OperationID
@_exported public import struct SwitchyardCore.Page
@_exported public import struct SwitchyardCore.PageCursor
@_exported public import struct SwitchyardCore.PlaceRecord
@_exported public import struct SwitchyardCore.PlaceRegistry
@_exported public import struct SwitchyardCore.PluginRegistry
@_exported public import struct SwitchyardCore.Query
@_exported public import struct SwitchyardCore.QueryPlan
@_exported public import struct SwitchyardCore.ReadBudget
@_exported public import struct SwitchyardCore.ReadOptions
@_exported public import class SwitchyardCore.ReadTransaction
@_exported public import struct SwitchyardCore.RehearsalFindings
@_exported public import struct SwitchyardCore.Related
@_exported public import struct SwitchyardCore.RelatedFigure
@_exported public import struct SwitchyardCore.RepairReport
@_exported public import protocol SwitchyardCore.SchemaMigrationPlan
@_exported public import struct SwitchyardCore.SchemaVersion
@_exported public import struct SwitchyardCore.Scoped
@_exported public import struct SwitchyardCore.SettlingStore
@_exported public import enum SwitchyardCore.SortDirection
@_exported public import struct SwitchyardCore.SortKey
@_exported public import protocol SwitchyardCore.Store
@_exported public import struct SwitchyardCore.StoreChange
@_exported public import struct SwitchyardCore.StoreChanges
@_exported public import struct SwitchyardCore.StoreDiagnosis
@_exported public import struct SwitchyardCore.StoreError
@_exported public import struct SwitchyardCore.StoreInfo
@_exported public import struct SwitchyardCore.StoreMarker
@_exported public import struct SwitchyardCore.StoreObservation
@_exported public import struct SwitchyardCore.StorePlace
@_exported public import protocol SwitchyardCore.StorePlugin
@_exported public import enum SwitchyardCore.StoreRole
@_exported public import typealias SwitchyardCore.StoreScope
@_exported public import enum SwitchyardCore.StoredValue
@_exported public import struct SwitchyardCore.SwitchRecord
@_exported public import class SwitchyardCore.SwitchableStore
@_exported public import enum SwitchyardCore.TextMatch
@_exported public import struct SwitchyardCore.ToMany
@_exported public import struct SwitchyardCore.TransactionFilter
@_exported public import enum SwitchyardCore.UniqueKeyPolicy
@_exported public import struct SwitchyardCore.UnknownPart
@_exported public import protocol SwitchyardCore.VersionedSchema
@_exported public import enum SwitchyardCore.Weekday
@_exported public import struct SwitchyardCore.WriteOptions
@_exported public import class SwitchyardCore.WriteTransaction

/// Used by the code that `@Model` generates; do not use it directly.
public typealias _EncodedRow = SwitchyardCore.EncodedRow
/// Used by the code that `@Model` generates; do not use it directly.
public typealias _Entity = SwitchyardCore.Entity
/// Used by the code that `@Model` generates; do not use it directly.
public typealias _EntityDeclaration = SwitchyardCore.EntityDeclaration
/// Used by the code that `@Model` generates; do not use it directly.
public typealias _RowReader = SwitchyardCore.RowReader
/// Used by the code that `@Model` generates; do not use it directly.
public typealias _RowWriter = SwitchyardCore.RowWriter
/// Used by the code that `@Model` generates; do not use it directly.
public typealias _Unversioned = SwitchyardCore.Unversioned
