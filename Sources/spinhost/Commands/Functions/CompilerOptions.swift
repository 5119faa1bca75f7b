import ArgumentParser

/// The options for the C compiler.
struct CompilerOptions: ParsableArguments {
    @Option(
        name: [.customShort("I", allowingJoined: true)],
        help: ArgumentHelp("A folder to search for C headers.", valueName: "folder"))
    var includes: [String] = []

    @Option(
        name: [.customShort("D", allowingJoined: true)],
        help: ArgumentHelp("A macro to define for C headers.", valueName: "name[=value]"))
    var defines: [String] = []

    @Option(help: ArgumentHelp("The C compiler.  (default: $CC, else cc)", valueName: "command"))
    var compiler: String?

    /// The command line with `-DNAME=VALUE` and `-IFOLDER` split into two words each, for verbs with these
    /// options. The parser would treat the text after `=` as the value of an option `-DNAME`.
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
