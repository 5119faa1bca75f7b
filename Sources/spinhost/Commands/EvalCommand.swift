import ArgumentParser
import Diagnostics
import Expressions
import Glibc
import Records

/// `spinhost eval`
struct EvalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval", abstract: "Print the value of one expression, as JSON.")

    @Argument(help: "The expression, in CEL.")
    var expression: String

    @Option(help: ArgumentHelp("Names and their values: a JSON object.", valueName: "json"))
    var bindings = "{}"

    @Flag(help: "Values in and out say their types: {\"type\": …, \"value\": …}.")
    var typed = false

    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let text = SourceText(file: SourceFile(name: "expression", text: expression))
        let names = try boundNames()
        let value: Value
        do {
            value = try Expression(expression, in: names.scope).evaluate(over: names.values)
        } catch let fault as TextFault {
            throw refuse(fault.diagnostic(in: text))
        } catch let fault as EvaluationFault {
            throw refuse(Diagnostic(.error, fault.code, fault.message, at: text.span(of: fault.range)))
        }
        try CommandOutput().line((typed ? TypedValue.json(of: value) : value).json)
    }

    private func boundNames() throws -> BoundNames {
        do { return try BoundNames(json: bindings, isTyped: typed) } catch {
            ErrorOutput.line("error: `--bindings`: \(error)")
            throw ExitStatus.usage
        }
    }

    private func refuse(_ diagnostic: Diagnostic) -> ExitCode {
        ErrorOutput.write(DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO)).render(diagnostic))
        return ExitStatus.no
    }
}
