import ArgumentParser

/// Whether the output is for programs. The flag may stand before or after the verb.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON: one object per step, fault or call.")
    var json = false
}
