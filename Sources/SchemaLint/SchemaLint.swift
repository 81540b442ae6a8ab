import Foundation
import PackagePlugin

/// `swift package schema-lint [--product NAME] [--format text|json|sarif] [--lock FILE]`: builds an executable of the
/// package and has it check its migration plan.
///
/// The executable answers to `schema-lint`, as `SchemaLintTool.main` does. It runs in the package's directory.
@main
struct SchemaLint: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "product")
        guard names.count < 2 else { throw Refusal("--product is given twice.") }
        let product = try names.first ?? onlyLintingProduct(of: context.package)
        let build = try packageManager.build(.product(product), parameters: .init(echoLogs: false))
        guard build.succeeded else {
            Diagnostics.remark(build.logText)
            throw Refusal("The product \(product) cannot be built, as shown above.")
        }
        guard let executable = build.builtArtifacts.first(where: { $0.kind == .executable }) else {
            throw Refusal("The product \(product) is not an executable.")
        }
        let process = Process()
        process.executableURL = executable.url
        process.arguments = ["schema-lint"] + extractor.remainingArguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit else {
            throw Refusal("\(product) was ended by the signal \(process.terminationStatus).")
        }
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }

    /// The name of the package's only executable whose own code depends on SwitchyardLint.
    private func onlyLintingProduct(of package: Package) throws -> String {
        let names = package.products(ofType: ExecutableProduct.self).filter { product in
            product.mainTarget.dependencies.contains { dependency in
                switch dependency {
                case .target(let target): target.name == "SwitchyardLint"
                case .product(let product): product.name == "SwitchyardLint"
                @unknown default: false
                }
            }
        }.map(\.name)
        guard names.count < 2 else {
            throw Refusal(
                "Several executables depend on SwitchyardLint. Choose one with --product: \(names.joined(separator: ", "))."
            )
        }
        guard let name = names.first else {
            throw Refusal(
                "No executable of the package depends on SwitchyardLint. Add one whose code is SchemaLintTool.main(MyPlan.self)."
            )
        }
        return name
    }
}

/// Why the command was not carried out.
private struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
