import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import SwitchyardMacros

/// Expands all macros of a source and compares the whole result.
func expectExpansion(
    of source: String, _ expected: String, diagnostics: [DiagnosticSpec] = [],
    fixed: String? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        source, expandedSource: expected, diagnostics: diagnostics,
        macroSpecs: [
            "Model": MacroSpec(type: ModelMacro.self, conformances: ["Model"]),
            "Attribute": MacroSpec(type: AttributeMacro.self),
            "Transient": MacroSpec(type: TransientMacro.self),
            "Relationship": MacroSpec(type: RelationshipMacro.self),
            "Index": MacroSpec(type: IndexMacro.self),
            "Unique": MacroSpec(type: UniqueMacro.self),
        ],
        fixedSource: fixed, failureHandler: record, fileID: fileID, filePath: filePath, line: line,
        column: column)
}

/// Expects one diagnostic for the members of a struct, the first of which is on line 3; only `@Model` is
/// expanded.
///
/// Members are indented by four spaces; a fix-it is given as its message and the members after it.
func expectRefusal(
    of members: String, _ message: String, line sourceLine: Int = 4, column sourceColumn: Int = 5,
    fixIt: (message: String, members: String)? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        "@Model\nstruct Sample {\n\(members)\n}",
        expandedSource: """
            struct Sample {
            \(members)

                typealias ID = Switchyard.Identifier<Sample>

                typealias ModelVersion = Switchyard.Unversioned
            }
            """,
        diagnostics: [
            DiagnosticSpec(
                message: message, line: sourceLine, column: sourceColumn,
                fixIts: fixIt.map { [FixItSpec(message: $0.message)] } ?? [], originatorFileID: fileID,
                originatorFile: filePath, originatorLine: line, originatorColumn: column)
        ],
        macroSpecs: ["Model": MacroSpec(type: ModelMacro.self, conformances: ["Model"])],
        fixedSource: fixIt.map { "@Model\nstruct Sample {\n\($0.members)\n}" }, failureHandler: record,
        fileID: fileID, filePath: filePath, line: line, column: column)
}

private func record(_ failure: TestFailureSpec) {
    Issue.record(
        "\(failure.message)",
        sourceLocation: SourceLocation(
            fileID: failure.location.fileID, filePath: failure.location.filePath,
            line: failure.location.line, column: failure.location.column))
}
