import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct SwitchyardPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ModelMacro.self, AttributeMacro.self, TransientMacro.self, RelationshipMacro.self, IndexMacro.self,
        UniqueMacro.self,
    ]
}
