import ArgumentParser
import Diagnostics
import Expressions
import Records

/// `spinhost eval`
struct EvalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval", abstract: "Print the value of one expression, or of many, as JSON.")

    @Argument(help: "The expression, in CEL.")
    var expression: String?

    @Option(help: ArgumentHelp("Names and their values, as a JSON object.", valueName: "json"))
    var bindings: String?

    @Flag(help: "Read and print values with their types: {\"type\": …, \"value\": …}.")
    var typed = false

    @Flag(
        help:
            "Read one {\"expr\": …, \"bindings\": {…}} per line from stdin; print one value or error per line."
    )
    var jsonl = false

    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
        if jsonl {
            guard expression == nil, bindings == nil else {
                throw ValidationError("With `--jsonl`, expressions and bindings come from stdin.")
            }
        } else {
            guard expression != nil else {
                throw ValidationError("Missing expected argument '<expression>'.")
            }
        }
    }

    func run() throws {
        let output = try CommandOutput()
        guard let expression else {
            while let line = readLine() {
                try output.line(EvalLine.answer(to: line, isTyped: typed).json)
            }
            return
        }
        let text = SourceText(file: SourceFile(name: "expression", text: expression))
        let names = try boundNames()
        do {
            let value = try Expression(expression, in: names.scope).evaluate(with: names.values)
            try output.line((typed ? TypedValue.json(of: value) : value).json)
        } catch let fault as TextFault {
            throw refuse(fault.diagnostic(in: text))
        } catch let fault as EvaluationFault {
            throw refuse(fault.textFault.diagnostic(in: text))
        }
    }

    private func boundNames() throws -> BoundNames {
        do { return try BoundNames(Value(json: bindings ?? "{}"), isTyped: typed) } catch {
            ErrorOutput.line("error: `--bindings`: \(error)")
            throw ExitStatus.usage
        }
    }

    private func refuse(_ diagnostic: Diagnostic) -> ExitCode {
        ErrorOutput.show(diagnostic)
        return ExitStatus.no
    }
}
