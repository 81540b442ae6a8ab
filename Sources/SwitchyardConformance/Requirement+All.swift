internal import SwitchyardConformanceKit

extension Requirement {
    /// Every requirement, in the contract's order.
    public static var all: [Requirement] {
        values + queries + writes + transactions + stores + history
    }

    private static var values: [Requirement] {
        TextRequirements.all + EmptyValueRequirements.all + NumberRequirements.all + DecimalRequirements.all
            + ValueRequirements.all + LargeRowRequirements.all + ExactnessRequirements.all
    }

    private static var queries: [Requirement] {
        QueryRequirements.all + PageRequirements.all + ListRequirements.all + TextMatchRequirements.all
            + FigureRequirements.all + CalculationRequirements.all + CursorRequirements.all
            + IncludeRequirements.all + GroupRequirements.all + OrderChecks.all
            + GroupChoiceChecks.all + ExplainChecks.all + InsertSelectedChecks.all + WindowChecks.all
            + CalculatedUpdateChecks.all + CalculatedFigureChecks.all
    }

    private static var writes: [Requirement] {
        WriteRequirements.all + NamedConstraintRequirements.all + BatchRequirements.all
            + ReusedKeyRequirements.all + ChosenRowRequirements.all
            + DenyRequirements.all
    }

    private static var transactions: [Requirement] {
        TransactionRequirements.all + NestedRequirements.all + TwoStoreRequirements.all
            + OperationRequirements.all + ConnectionRequirements.all + BrokenTransactionRequirements.all
            + ViewRequirements.all + ChangeRequirements.all + PagingRequirements.all
    }

    private static var stores: [Requirement] {
        SchemaRequirements.all + MarkerRequirements.all + MigrationRequirements.all
            + StageCodeRequirements.all
            + StructureRequirements.all + CheckRequirements.all + ErrorNameRequirements.all
            + DamagedRowRequirements.all + RoleRequirements.all + ScopeRequirements.all
    }

    private static var history: [Requirement] {
        HistoryRequirements.all + UndoRequirements.all + RetentionRequirements.all
            + PartialHistoryRequirements.all + DividedWriteRequirements.all + ObservationRequirements.all
    }
}
