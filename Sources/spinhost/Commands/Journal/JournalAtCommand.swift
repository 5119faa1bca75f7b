import ArgumentParser
import Journal
import Records

/// `spinhost journal at`
struct JournalAtCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "at",
        abstract: "Print the state of each loop at a step or position, or why it has a value.",
        discussion: "A step is \(JournalPlace.forms).")

    @OptionGroup var journal: JournalOptions

    @Argument(help: "The step.", transform: { try JournalPlace.parse($0) })
    var step: JournalPlace

    @Option(help: ArgumentHelp("Only this loop.", valueName: "name"))
    var loop: String?

    @Option(
        help: ArgumentHelp(
            "Print since when this field has its value, and what caused it.", valueName: "field"))
    var why: String?

    @OptionGroup var secretOptions: JournalSecretOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        if let why, JournalField(why) == nil {
            throw ValidationError("`\(why)` is no field: write its name, such as `level` or `position.x`")
        }
    }

    func run() throws {
        let output = try CommandOutput()
        try journal.read(secretOptions) { reader in
            let name = step.loop ?? loop
            guard let point = try step.point(in: reader, loop: name) else {
                throw step.refuse(journal.file, loop: loop)
            }
            guard let schema = point.state.epoch?.schema else { return }
            if let why = why.flatMap({ JournalField($0) }) {
                let reason = try JournalReason(why, of: name, at: point, in: reader, journal.file)
                try output.line(reason.text())
                return
            }
            for past in point.state.loops where past.hasBegun {
                // A loop that has not begun in this epoch has the place of an earlier one.
                let loop = schema.loops[past.index]
                guard name == nil || loop.name == name else { continue }
                try output.line(Self.json(past, loop).json)
            }
        }
    }

    private static func json(_ past: LoopPast, _ loop: LoopSchema) -> Value {
        .record(
            [
                ("loop", .string(loop.name)), ("step", .int(Int64(clamping: past.step))),
                ("position", .int(Int64(clamping: past.position))),
                ("time", .string(JournalTime.universal(past.time))), ("state", past.state.value),
            ] + (past.event.map { [("event", .string(loop.events[$0].name))] } ?? []))
    }
}

/// A field of a state as the user names it: `level`, `position.x`, `words[0]`.
struct JournalField {
    /// As the user wrote it.
    let text: String
    private let parts: [Part]

    private enum Part {
        case name(String)
        case index(Int)
    }

    /// Nil for text that is no field.
    init?(_ text: String) {
        self.text = text
        var parts: [Part] = []
        for word in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard let match = word.wholeMatch(of: /([^\[\]]+)((?:\[\d+\])*)/) else { return nil }
            parts.append(.name(String(match.1)))
            for index in match.2.split(whereSeparator: { "[]".contains($0) }) {
                guard let index = Int(index) else { return nil }
                parts.append(.index(index))
            }
        }
        self.parts = parts
    }

    /// The name of the field of the state.
    var name: String { if case .name(let name) = parts[0] { name } else { "" } }

    /// The value of the field; nil if the state does not have it.
    func value(in state: Record) -> Value? {
        guard let first = state[name] else { return nil }
        return parts.dropFirst().reduce(Optional(first)) { value, part in
            switch (part, value) {
            case (.name(let name), let value?): value[name]
            case (.index(let index), .list(let elements)?):
                elements.indices.contains(index) ? elements[index] : nil
            default: nil
            }
        }
    }
}
