import ArgumentParser
import Control
import Records

/// The loop of a running app.
struct LoopOption: ParsableArguments {
    @Option(help: ArgumentHelp("The loop.", valueName: "name"))
    var loop: String?
}

/// An instance of a loop with a key.
struct KeyOption: ParsableArguments {
    // A key may begin with `-`, as negative numbers do.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The key of an instance, for a loop with a key.", valueName: "key"))
    var key: String?

    /// The place that the options name.
    func place(_ loop: LoopOption) -> ControlRequest.Place {
        ControlRequest.Place(loop: loop.loop, key: key.map(Value.string))
    }

    func validate(with loop: LoopOption) throws {
        if key != nil, loop.loop == nil {
            throw ValidationError("`--key` needs the loop: `--loop NAME --key KEY`")
        }
    }
}
