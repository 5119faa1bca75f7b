import ArgumentParser

/// The loop of a running app.
struct LoopOption: ParsableArguments {
    @Option(help: ArgumentHelp("The loop.", valueName: "name"))
    var loop: String?
}
