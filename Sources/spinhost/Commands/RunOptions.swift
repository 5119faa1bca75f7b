import ArgumentParser

/// How an app is run; understood with `run` and without a verb.
struct RunOptions: ParsableArguments {
    @Flag(help: "Print one JSON object per step.")
    var json = false

    @Flag(help: "Print a line per step, even without a terminal.")
    var steps = false

    @Flag(help: "Print neither steps nor the summary.")
    var quiet = false

    @Option(help: ArgumentHelp("Override a constant of the manifest's `config`.", valueName: "name=value"))
    var set: [String] = []

    func validate() throws {
        if json && steps { throw ValidationError("`--json` prints every step; leave out `--steps`") }
        if quiet && steps { throw ValidationError("`--quiet` and `--steps` contradict each other") }
        for entry in set where !entry.contains("=") || entry.hasPrefix("=") {
            throw ValidationError("`--set \(entry)` wants NAME=VALUE")
        }
    }
}
