import ArgumentParser

/// Which loop of a running app is meant.
struct LoopOption: ParsableArguments {
    @Option(help: ArgumentHelp("The loop.", valueName: "name"))
    var loop: String?
}
