import ArgumentParser

/// What the C compiler is told.
struct CompilerOptions: ParsableArguments {
    @Option(
        name: [.customShort("I", allowingJoined: true)],
        help: ArgumentHelp("A folder in which C headers are looked up.", valueName: "folder"))
    var includes: [String] = []

    @Option(
        name: [.customShort("D", allowingJoined: true)],
        help: ArgumentHelp("A macro that C headers see.", valueName: "name[=value]"))
    var defines: [String] = []

    @Option(help: ArgumentHelp("The C compiler.  (default: $CC, else cc)", valueName: "command"))
    var compiler: String?

    /// The command line with `-DNAME=VALUE` and `-IFOLDER` as two words each, in verbs that take them: the parser takes
    /// what is behind a `=` for the value of `-DNAME`.
    static func separated(_ arguments: [String]) -> [String] {
        let verb = arguments.first { ParserHint.verbs.contains($0) }
        guard verb == "bind" || verb == "check" else { return arguments }
        return arguments.flatMap { word -> [String] in
            guard word.hasPrefix("-D") || word.hasPrefix("-I"), word.count > 2 else { return [word] }
            return [String(word.prefix(2)), String(word.dropFirst(2))]
        }
    }

    /// The compiler with these options.
    var command: CompilerCommand {
        CompilerCommand(command: compiler, includes: includes, defines: defines)
    }
}
