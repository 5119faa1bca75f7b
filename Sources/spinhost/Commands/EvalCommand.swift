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

    func run() throws {
        let text = SourceText(file: SourceFile(name: "expression", text: expression))
        let names = try boundNames()
        let value: Value
        do {
            let compiled = try Expression(expression, in: names.scope)
            value = try names.withFrame { frame throws(EvaluationFault) in try compiled.evaluate(frame) }
        } catch let fault as TextFault {
            throw refuse(fault.diagnostic(in: text))
        } catch let fault as EvaluationFault {
            throw refuse(Diagnostic(.error, fault.code, fault.message, at: text.span(of: fault.range)))
        }
        try CommandOutput().line(value.json)
    }

    private func boundNames() throws -> BoundNames {
        do { return try BoundNames(json: bindings) } catch {
            ErrorOutput.line("error: `--bindings`: \(error)")
            throw ExitStatus.usage
        }
    }

    private func refuse(_ diagnostic: Diagnostic) -> ExitCode {
        ErrorOutput.write(DiagnosticRenderer(color: Terminal.hasColor(STDERR_FILENO)).render(diagnostic))
        return ExitStatus.no
    }
}
