import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct SwitchyardPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = []
}
