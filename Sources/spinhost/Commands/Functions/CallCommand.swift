import App
import ArgumentParser
import Diagnostics
import Interfaces
import PluginHost
import Records

/// `spinhost call`
struct CallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call any C function once.",
        discussion: """
            Write one argument for each parameter: a number, true or false, plain text, JSON for a list or a struct, \
            the name of a constant for an enum, `null` for a null pointer. For an out-parameter write `out`, `out:N` \
            for N elements, `out:N:string`, `out:N:bytes`, or `out:N:bytes:USED`, where USED is `result` or \
            `out.PARAMETER`; for one with a first value or a list of them, `inout:VALUE`. Every word after `--` is an \
            argument.
            """)

    @Argument(help: "The library: a path, or a name for the dynamic loader such as libm.so.6.")
    var library: String

    @Argument(
        help: """
            The function's C declaration, such as 'double hypot(double x, double y)', after the structs and enums \
            that it uses.
            """)
    var prototype: String

    @Argument(parsing: .allUnrecognized, help: "The arguments.")
    var arguments: [String] = []

    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws {
        let output = try CommandOutput()
        let call = try prepare()
        let start = ContinuousClock.now
        do { try call.invoke() } catch { throw refuse(error.code, error.message, help: error.help) }
        let took = ContinuousClock.now - start
        let outcome = call.outcomeValue
        if outputOptions.json {
            let time = took.components.seconds * 1_000_000_000 + took.components.attoseconds / 1_000_000_000
            guard case .map(var entries) = outcome else { return }
            entries.append(Value.MapEntry(key: .string("nanoseconds"), value: .int(time)))
            try output.line(Value.map(entries).json)
            return
        }
        if let result = outcome["result"] { try output.line("result = \(result.json)") }
        if case .map(let outs)? = outcome["out"] {
            for out in outs {
                if case .string(let name) = out.key { try output.line("out.\(name) = \(out.value.json)") }
            }
        }
        if case .int(let number)? = outcome["errno"], number != 0 {
            try output.line("errno = \(number) (\(SystemError(number: Int32(number)).text))")
        }
        ErrorOutput.line("took \(CountText.time(took))")
    }

    private func prepare() throws -> PreparedCall {
        let (function, declarations) = try declared()
        let words = givenArguments.enumerated().map { index, text in
            CallWord(text, isPointer: function.takesPointer(at: index))
        }
        for (word, parameter) in zip(words, function.parameters)
        where parameter.type.pointedFunction != nil && word.argument != .null {
            throw refuse(
                .functionPointer,
                "argument `\(parameter.name)` is a function pointer: `spinhost call` has no function for it",
                help: [
                    "write `null`, or call it in a manifest with `{ callback = … }`"
                ], ExitStatus.usage)
        }
        let signature: CallSignature
        do {
            signature = try CallSignature(function, arguments: words.map(\.argument))
        } catch { throw refuse(error.code, error.message, help: error.help, ExitStatus.usage) }
        do {
            let call = try PreparedCall(library: library, signature: signature)
            var input = 0
            for word in words {
                guard var text = word.text else { continue }
                let field = signature.inputs.fields[input]
                if case .integer = field.type, let constant = declarations.constant(text) {
                    text = "\(constant)"
                }
                do { try call.setInput(input, to: try CallWord.value(text, as: field.type)) } catch {
                    throw refuse(.usage, "argument `\(field.name)`: \(error)", help: [], ExitStatus.usage)
                }
                input += 1
            }
            return call
        } catch let error as PluginError {
            throw refuse(error.code, error.message, help: error.help, ExitStatus.unavailable)
        }
    }

    /// The last function in the prototype, and all its declarations.
    private func declared() throws -> (function: CFunction, declarations: CDeclarations) {
        let text = SourceText(file: SourceFile(name: "prototype", text: prototype))
        let declarations = CDeclarations(parsing: prototype, endsImplicitly: true)
        if let fault = declarations.faults.first {
            throw refuse(fault.diagnostic(in: text), ExitStatus.usage)
        }
        guard let function = declarations.functions.last else {
            let fault = TextFault(
                .declarationSyntax, "expected a function", at: 0..<prototype.utf8.count,
                help: ["write its declaration, for example `double hypot(double x, double y)`"])
            throw refuse(fault.diagnostic(in: text), ExitStatus.usage)
        }
        return (function, declarations)
    }

    /// The arguments without the `--` that ends the options, which the parser does not remove.
    private var givenArguments: [String] {
        guard let end = arguments.firstIndex(of: "--") else { return arguments }
        return Array(arguments[..<end] + arguments[(end + 1)...])
    }

    private func refuse(
        _ code: DiagnosticCode, _ message: String, help: [String], _ status: ExitCode = ExitStatus.no
    ) -> ExitCode {
        refuse(Diagnostic(.error, code, message, help: help), status)
    }

    private func refuse(_ diagnostic: Diagnostic, _ status: ExitCode) -> ExitCode {
        ErrorOutput.show(diagnostic)
        return status
    }
}

extension CFunction {
    /// True if the parameter at an index is a pointer.
    fileprivate func takesPointer(at index: Int) -> Bool {
        guard parameters.indices.contains(index), case .pointer = parameters[index].type else { return false }
        return true
    }
}

extension DiagnosticCode {
    /// U001: an argument on the command line does not fit.
    static let usage = DiagnosticCode("U001")
}
