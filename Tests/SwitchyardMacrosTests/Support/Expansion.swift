import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private let macros = [
    "Model": MacroSpec(type: ModelMacro.self, conformances: ["Model"]),
    "Attribute": MacroSpec(type: AttributeMacro.self),
    "Transient": MacroSpec(type: TransientMacro.self),
    "Relationship": MacroSpec(type: RelationshipMacro.self),
    "Index": MacroSpec(type: IndexMacro.self),
    "Unique": MacroSpec(type: UniqueMacro.self),
]

/// Expands all macros of a source and compares the whole result.
func expectExpansion(
    of source: String, _ expected: String, diagnostics: [DiagnosticSpec] = [],
    fixed: String? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        source, expandedSource: expected, diagnostics: diagnostics, macroSpecs: macros,
        fixedSource: fixed, failureHandler: record, fileID: fileID, filePath: filePath, line: line,
        column: column)
}

/// Expands all macros of a source without a diagnostic, and expects lines in the result, and others nowhere.
///
/// What is expected are runs of whole lines, indentation included; what is not may be any part of the text.
func expectExpansion(
    of source: String, contains expected: [String], lacks unexpected: String? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
    let expanded = file.expand(
        macroSpecs: macros,
        contextGenerator: {
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        }, indentationWidth: .spaces(4))
    #expect(context.diagnostics.isEmpty, sourceLocation: sourceLocation)
    #expect(!expanded.hasError, sourceLocation: sourceLocation)
    let text = "\n\(expanded)\n"
    for lines in expected { #expect(text.contains("\n\(lines)\n"), sourceLocation: sourceLocation) }
    if let unexpected { #expect(!text.contains(unexpected), sourceLocation: sourceLocation) }
}

/// Expands `@Model` on the struct `V1.Tag`, for which the compiler asks for some conformances, and compares the extensions.
func expectConformances(
    _ conformances: [String], _ expected: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let file = Parser.parse(
        source: "enum V1 {\n    @Model public struct Tag {\n        public let id: ID\n    }\n}")
    let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
    let expanded = file.expand(
        macroSpecs: [
            "Model": MacroSpec(type: ModelMacro.self, conformances: conformances.map { "\(raw: $0)" })
        ],
        contextGenerator: {
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        }, indentationWidth: .spaces(4))
    #expect("\(expanded)".hasSuffix("}\n\n\(expected)"), "\(expanded)", sourceLocation: sourceLocation)
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

                typealias ModelVersion = Switchyard._Unversioned
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

/// Expects one diagnostic for `#Index` and `#Unique` in a model, whose first member is on line 3; `@Model` is
/// not expanded.
func expectConstraintRefusal(
    of member: String, becoming expanded: String, _ message: String, line sourceLine: Int = 3,
    column sourceColumn: Int = 5, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        "@Model\nstruct Sample {\n    \(member)\n    let id: ID\n}",
        expandedSource: "@Model\nstruct Sample {\n\(expanded)    let id: ID\n}",
        diagnostics: [
            DiagnosticSpec(
                message: message, line: sourceLine, column: sourceColumn, originatorFileID: fileID,
                originatorFile: filePath, originatorLine: line, originatorColumn: column)
        ], macroSpecs: macros.filter { $0.key != "Model" }, failureHandler: record, fileID: fileID,
        filePath: filePath, line: line, column: column)
}

private func record(_ failure: TestFailureSpec) {
    Issue.record(
        "\(failure.message)",
        sourceLocation: SourceLocation(
            fileID: failure.location.fileID, filePath: failure.location.filePath,
            line: failure.location.line, column: failure.location.column))
}
