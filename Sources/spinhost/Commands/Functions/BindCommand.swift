import ArgumentParser
import Diagnostics
import Interfaces

/// `spinhost bind`
struct BindCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bind",
        abstract: "Print the declarations of C functions for a manifest's `declares`.",
        discussion: """
            Reads the header with the C compiler. Prints the declarations of the functions, and of the structs, enums \
            and typedefs that they need. Refuses a function that a manifest cannot call with the reason, and prints the \
            others.
            """)

    @Argument(help: "The header as in `#include`: unistd.h, sys/statvfs.h, ./mine.h.")
    var header: String

    @Argument(help: "The functions.")
    var functions: [String]

    @OptionGroup var compilerOptions: CompilerOptions
    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    /// The prefix of a variable that the preprocessed source declares for each function that is a macro.
    private static let macroMark = "__spinhost_macro_"

    func validate() throws {
        for name in functions where name.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_]*/#) == nil {
            throw ValidationError("`\(name)` cannot be the name of a function.")
        }
        if header.contains(where: { "\"<>".contains($0) || $0.isNewline }) {
            throw ValidationError(
                "`\(header)` cannot be the name of a header: write it without quotes and brackets.")
        }
    }

    func run() throws {
        let output = try CommandOutput()
        let text = try preprocessed()
        let header = CHeader(preprocessed: text)
        let excerpt = header.excerpt(of: functions)
        if !excerpt.text.isEmpty { try output.line(String(excerpt.text.dropLast())) }
        for structure in excerpt.opaque {
            ErrorOutput.line(
                "note: `\(structure.name)` is declared without its members: \(structure.reason)")
        }
        for (function, refusal) in excerpt.refused {
            let isMacro = !header.declares(function) && text.contains(Self.macroMark + function + ";")
            ErrorOutput.show(isMacro ? macro(function) : diagnostic(refusal))
        }
        if !excerpt.refused.isEmpty { throw ExitStatus.no }
    }

    private func diagnostic(_ refusal: CHeader.Refusal) -> Diagnostic {
        Diagnostic(
            .error, refusal.code, "`\(header)`: \(refusal.message)",
            notes: refusal.declaration.isEmpty ? [] : ["it is declared `\(refusal.declaration)`"],
            help: refusal.help)
    }

    private func macro(_ name: String) -> Diagnostic {
        Diagnostic(
            .error, .noSymbol,
            "`\(header)`: `\(name)` is a macro, and no library exports it",
            help: [
                "bind the function that the macro calls, or wrap it in a C function of your own library"
            ])
    }

    /// The preprocessed header.
    ///
    /// - Throws: an exit code, after it has printed the reason.
    private func preprocessed() throws -> String {
        let macros = functions.map { "#ifdef \($0)\nextern int \(Self.macroMark)\($0);\n#endif\n" }
        let source = "#include \"\(header)\"\n" + macros.joined()
        let answer: CompilerCommand.Answer
        do { answer = try compilerOptions.command.run(["-E", "-P"], source: source) } catch {
            switch error {
            case .noCompiler(let reason): ErrorOutput.line("error: `bind` needs a C compiler: \(reason)")
            case .noAnswer(let reason): ErrorOutput.line("error: the C compiler gave no answer: \(reason)")
            }
            throw ExitStatus.unavailable
        }
        if answer.isGood { return answer.output }
        let said = answer.errors.split(separator: "\n").first { $0.contains("error: ") }
        ErrorOutput.line("error: `\(header)` cannot be read: \(said ?? "the compiler refuses it")")
        throw ExitStatus.unreadable
    }
}
