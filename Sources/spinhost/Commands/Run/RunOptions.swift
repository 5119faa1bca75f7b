import ArgumentParser
import Manifest

/// How an app is run; understood with `run` and without a verb.
struct RunOptions: ParsableArguments {
    @Flag(help: "Print a line per step, even without a terminal.")
    var steps = false

    @Flag(help: "Print for each step what every feedback did, or why it did nothing.")
    var explain = false

    @Flag(help: "Print neither steps nor the summary.")
    var quiet = false

    @Flag(help: "Listen for `send` and `state` on a socket that only this user can reach.")
    var control = false

    @OptionGroup var inspectOptions: InspectOptions

    @Option(
        help: ArgumentHelp(
            "Record the run in this file, and continue what is in it.", valueName: "file"),
        completion: .file())
    var journal: String?

    @Option(
        help: ArgumentHelp(
            "When a step is safe in the journal: \(words(JournalModel.Durability.self)).", valueName: "mode"),
        completion: .list(JournalModel.Durability.allCases.map(\.rawValue)), transform: { try word($0) })
    var durable: JournalModel.Durability?

    @Flag(help: "Begin a new journal; the old one is kept as `FILE.before-N`.")
    var restart = false

    @Flag(help: "Continue a damaged journal before its damage; the old file is kept as `FILE.damaged-N`.")
    var untilDamage = false

    @Option(
        help: ArgumentHelp(
            "Do not begin the effects of this entry again; `none` continues after any number of crashes.",
            valueName: "position"),
        transform: { try JournalSkip($0) })
    var skip: JournalSkip?

    @Option(help: ArgumentHelp("Override a constant of the manifest's `config`.", valueName: "name=value"))
    var set: [String] = []

    @Option(
        help: ArgumentHelp(
            "Log what is at least as grave: \(words(LogModel.Level.self)).", valueName: "level"),
        completion: .list(LogModel.Level.allCases.map(\.rawValue)), transform: { try word($0) })
    var logLevel: LogModel.Level?

    @Option(
        help: ArgumentHelp("How log lines are written: \(words(LogModel.Format.self)).", valueName: "format"),
        completion: .list(LogModel.Format.allCases.map(\.rawValue)), transform: { try word($0) })
    var logFormat: LogModel.Format?

    /// - Parameter taken: the options that the verb understands in its own way.
    /// - Throws: a usage error when another one was given to a verb that runs nothing.
    func refuse(except taken: Set<String> = []) throws {
        let given = [
            (steps, "--steps"), (explain, "--explain"), (quiet, "--quiet"),
            (control, "--control"), (journal != nil, "--journal"),
            (durable != nil, "--durable"),
            (restart, "--restart"), (untilDamage, "--until-damage"), (skip != nil, "--skip"),
            (!set.isEmpty, "--set"),
            (logLevel != nil, "--log-level"), (logFormat != nil, "--log-format"),
        ]
        for (isGiven, name) in given where isGiven && !taken.contains(name) {
            throw ValidationError("`\(name)` belongs to `run`")
        }
        if let name = inspectOptions.names.first { throw ValidationError("`\(name)` belongs to `run`") }
    }

    /// What the options say of the manifest's journal.
    var journalOverride: JournalOverride {
        JournalOverride(file: journal, durability: durable)
    }

    func validate() throws {
        if quiet && explain { throw ValidationError("`--quiet` and `--explain` contradict each other") }
        if restart && untilDamage {
            throw ValidationError("`--restart` and `--until-damage` contradict each other")
        }
        if restart && skip != nil {
            throw ValidationError("`--restart` and `--skip` contradict each other")
        }
        if quiet && steps { throw ValidationError("`--quiet` and `--steps` contradict each other") }
    }

    private static func words<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> String {
        Word.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(_ text: String) throws -> Word {
        guard let word = Word(rawValue: text) else {
            throw ValidationError("`\(text)` is none of \(words(Word.self))")
        }
        return word
    }
}
