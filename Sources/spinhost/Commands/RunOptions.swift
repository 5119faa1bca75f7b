import ArgumentParser

/// How an app is run; understood with `run` and without a verb.
struct RunOptions: ParsableArguments {
    @Flag(help: "Print a line per step, even without a terminal.")
    var steps = false

    @Flag(help: "Print for each step what every feedback did, or why it did nothing.")
    var explain = false

    @Flag(help: "Print neither steps nor the summary.")
    var quiet = false

    @Option(help: ArgumentHelp("Override a constant of the manifest's `config`.", valueName: "name=value"))
    var set: [String] = []

    /// - Throws: a usage error when one was given to a verb that runs nothing.
    func refuse() throws {
        let given = [
            (steps, "--steps"), (explain, "--explain"), (quiet, "--quiet"), (!set.isEmpty, "--set"),
        ]
        for (isGiven, name) in given where isGiven {
            throw ValidationError("`\(name)` belongs to `run`")
        }
    }

    func validate() throws {
        if quiet && explain { throw ValidationError("`--quiet` and `--explain` contradict each other") }
        if quiet && steps { throw ValidationError("`--quiet` and `--steps` contradict each other") }
    }
}
