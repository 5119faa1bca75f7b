// Longer than 350 lines, so that the list of keys can be read as a whole.
extension ManifestTable: CaseIterable {
    /// All tables, each once.
    public static var allCases: [ManifestTable] {
        [
            root, app, journal, types, config, plugins, plugin, pluginConfig, setting, sandbox, sandboxEnv,
            restart,
            loops, loop, state,
            stateField, states,
            stateCase, caseField,
            shared, sharedField, events, event, eventField, on, transition, set, after, delayed, delayedSet,
            inCases, inCase, migrate, `let`, transitionLet, transitionCase, caseSet, caseLet, delayedLet,
            feedbacks, feedback, each, retry, arguments, argument, callback, callbackEmission, callbackCounts,
            emission, emits, namedEmission, failureEmission, recovery, send,
            receive,
            receivedGear, received, gears, gear, messages, message, messageField, appMailbox, mailbox, log,
            metrics,
            secret,
            test, testGiven, testExpectation, testEvent, testPayload, testEffects, testAnswer,
        ]
    }

    /// The file itself. `fmt` puts its tables in this order.
    static let root = ManifestTable(
        "",
        [
            ManifestField("app", .table, "The app as a whole."),
            ManifestField(
                "include", .strings,
                "Further files with tables of the manifest; `*`, `?` and `[…]` match names.",
                default: "[]"),
            ManifestField("types", .table, "Names for types.", default: "{}"),
            ManifestField(
                "config", .table, "Constants for expressions; `--set NAME=VALUE` overrides one.",
                default: "{}"),
            ManifestField(
                "plugins", .table, "The libraries whose functions are effects, by name.", default: "{}"),
            ManifestField("gears", .table, "Messages between loops, by name.", default: "{}"),
            ManifestField(
                "loops", .table, "The feedback loops, by name. They may all be in files of `include`."),
            ManifestField("tests", .tables, "Tests of reducers, which need no library.", default: "[]"),
        ])

    static let app = ManifestTable(
        "app",
        [
            ManifestField(
                "name", .string, "The app's name: letters, digits, `-`, `_` and `.`.", default: "the folder's"
            ),
            ManifestField(
                "plugin-path", .strings,
                "Folders to search for libraries with a bare name, before the manifest's folder.",
                default: "[]"),
            ManifestField(
                "plugins", .strings,
                "The only folders whose libraries may be loaded, and names of libraries of the system.",
                default: "any"),
            ManifestField(
                "lock", .boolean, "Whether no library is loaded or swapped after the start.",
                default: "false"),
            ManifestField(
                "sandbox", .word(SandboxModel.Enforcement.self),
                "What the host does when the kernel cannot keep a rule: `strict` or `best-effort`.",
                default: "strict"),
            ManifestField(
                "on-fault", .word(FaultPolicy.self),
                "What an unhandled fault does: `continue` or `stop`.",
                default: "continue"),
            ManifestField(
                "log", .wordOrTable(LogModel.Level.self),
                "Which lines are logged: a level, or a table with `level` and `format`.",
                default: "info"),
            ManifestField(
                "stay", .boolean, "Whether the app keeps running when nothing can happen any more.",
                default: "false"),
            ManifestField(
                "metrics", .table, "What the host counts from the start for clients that read counters.",
                default: "timing = false"),
            ManifestField(
                "mailbox", .table, "Capacity and overflow of each loop's mailbox.",
                default: "65536, reject"),
            ManifestField(
                "journal", .stringOrTable,
                "The file that keeps the run, so that it can continue: its name, or a table with `file`.",
                default: "no journal"),
        ])

    static let types = ManifestTable(
        "types", [], named: ManifestField("", .type, "What the name stands for."))

    static let config = ManifestTable(
        "config", [],
        named: ManifestField(
            "", .value, "A constant: a literal, a table with its `type`, or the source of its secret value."))

    static let secret = ManifestTable(
        "config.*",
        [
            ManifestField("env", .string, "The environment variable that holds the value, a secret."),
            ManifestField("file", .string, "The file that holds the value, a secret."),
            ManifestField(
                "credential", .string, "The credential of systemd that holds the value, a secret."),
            ManifestField("type", .type, "The value's type.", default: "string"),
            ManifestField("doc", .string, "What the constant is for."),
        ], markers: ["env", "file", "credential"])

    static let plugins = ManifestTable("plugins", [], named: ManifestField("", .table, "A library."))

    static let plugin = ManifestTable(
        "plugins.*",
        [
            ManifestField(
                "library", .string,
                "The shared library: a path from the manifest's folder, a bare name for `plugin-path` and the loader, or `spin:NAME`.",
                isRequired: true
            ),
            ManifestField(
                "declares", .string, "What the library offers, declared in C.", default: "its own notes"),
            ManifestField(
                "headers", .strings,
                "The C headers of `declares`, for `check --headers`.",
                default: "[]"),
            ManifestField(
                "free", .string, "The function that frees a returned string.", default: "it is not freed"),
            ManifestField(
                "release", .string,
                "The function that closes a `pointer` which the library opened, when no loop has it any more.",
                default: "it is not closed"),
            ManifestField(
                "config", .table, "The values of the plugin's settings.", default: "the plugin's own defaults"
            ),
            ManifestField(
                "instance", .word(InstanceScope.self),
                "Whether each loop has its own instance, or all loops share one.", default: "loop"),
            ManifestField(
                "source", .stringOrStrings,
                "The files and folders from which `dev` builds the library when one of them changes.",
                default: "`dev` builds nothing"),
            ManifestField(
                "build", .stringOrStrings,
                "The command that builds the library: a line for the shell, or a program and its arguments.",
                default: "the library's CMake target, or the compiler for a single file"),
            ManifestField("sha256", .string, "The SHA-256 hash that the file must have.", default: "any"),
            ManifestField(
                "isolation", .word(IsolationModel.self),
                "What a crash in a call of the plugin does, and whether it has a process of its own.",
                default: "inline"),
            ManifestField(
                "sandbox", .table, "What a plugin in a process of its own may do.", default: "nothing"),
        ])

    static let pluginConfig = ManifestTable(
        "plugins.*.config", [],
        named: ManifestField("", .value, "A setting: its value, or the source of its secret value."),
        namePattern: "[A-Za-z_][A-Za-z0-9_]*")

    static let setting = ManifestTable(
        "plugins.*.config.*",
        [
            ManifestField("env", .string, "The environment variable that holds the value, a secret."),
            ManifestField("file", .string, "The file that holds the value, a secret."),
            ManifestField(
                "credential", .string, "The credential of systemd that holds the value, a secret."),
        ], markers: ["env", "file", "credential"])

    static let loops = ManifestTable("loops", [], named: ManifestField("", .table, "A loop."))

    static let loop = ManifestTable(
        "loops.*",
        [
            ManifestField(
                "state", .table, "The fields of the state, by literal or with a `type`.", default: "{}"),
            ManifestField(
                "states", .table, "The cases of the state and the fields of each, instead of `state`."),
            ManifestField("initial", .string, "The case in which the loop starts."),
            ManifestField("shared", .table, "The fields that all cases have.", default: "{}"),
            ManifestField("events", .table, "The events and their fields.", default: "{}"),
            ManifestField(
                "let", .table, "Names for values, which all expressions of the loop may use.", default: "{}"),
            ManifestField(
                "in", .table,
                "What happens in each case: another place for transitions, delays and feedbacks.",
                default: "{}"),
            ManifestField(
                "migrate", .table,
                "Values for fields that had another type in an earlier manifest, from its state.",
                default: "{}"),
            ManifestField(
                "key", .word(KeyModel.Kind.self),
                "The type of the key: the loop has an instance for each key.", default: "one loop"),
            ManifestField(
                "limit", .integer, "The greatest number of instances at a time.", default: "1000000"),
            ManifestField(
                "keep", .duration, "How long the last state of an instance that is done stays readable.",
                default: "not at all"),
            ManifestField(
                "creates", .stringOrStrings, "The events that may make an instance.", default: "all"),
            ManifestField(
                "until", .condition, "The loop or instance is done when this holds.",
                default: "no end of its own"),
            ManifestField(
                "reducer", .string, "A native reducer, `plugin:reducer`, which gets each event before `on`.",
                default: "none"),
            ManifestField("on", .table, "The reducer: what each event does to the state.", default: "{}"),
            ManifestField(
                "after", .table, "Delayed transitions: what happens when a case has lasted for a time.",
                default: "{}"),
            ManifestField(
                "exhaustive", .boolean,
                "Whether every event must be handled in every case, by a transition without `if`.",
                default: "false"),
            ManifestField("feedback", .table, "The feedbacks, by name.", default: "{}"),
            ManifestField(
                "receive", .table, "The messages that become events, by gear and message.", default: "{}"),
            ManifestField(
                "mailbox", .table, "Capacity and overflow of this loop's mailbox.", default: "the app's"),
            ManifestField(
                "journal", .boolean, "Whether the app's journal has this loop, if there is one.",
                default: "true"),
        ])

    static let state = ManifestTable(
        "loops.*.state", [],
        named: ManifestField("", .value, "A field: a literal, or a table with its `type`."))

    static let stateField = field(of: "loops.*.state")

    static let states = ManifestTable(
        "loops.*.states", [], named: ManifestField("", .table, "A case and its fields."))

    static let stateCase = ManifestTable(
        "loops.*.states.*", [],
        named: ManifestField("", .value, "A field: a literal, or a table with its `type`."))

    static let caseField = field(of: "loops.*.states.*")

    static let shared = ManifestTable(
        "loops.*.shared", [],
        named: ManifestField("", .value, "A field: a literal, or a table with its `type`."))

    static let sharedField = field(of: "loops.*.shared")

    private static func field(of path: String) -> ManifestTable {
        ManifestTable(
            "\(path).*",
            [
                ManifestField("type", .type, "The field's type."),
                ManifestField("initial", .value, "The first value.", default: "zero or empty"),
                ManifestField("doc", .string, "What the field is for."),
                ManifestField("range", .array, "The least and greatest value.", default: "any value"),
            ], markers: ["type"])
    }

    static let events = ManifestTable("loops.*.events", [], named: ManifestField("", .table, "An event."))

    static let event = ManifestTable(
        "loops.*.events.*", [],
        named: ManifestField("", .type, "A field's type, or a table with `type` and `doc`."))

    static let eventField = ManifestTable(
        "loops.*.events.*.*",
        [
            ManifestField("type", .type, "The field's type."),
            ManifestField("doc", .string, "What the field is for."),
        ], markers: ["type"])

    static let on = ManifestTable(
        "loops.*.on", [],
        named: ManifestField(
            "", .tableOrTables, "A transition, or several: the first one whose conditions hold applies."),
        namePattern: "(?:\\*|\(NameRule.pattern))")

    static let transition = ManifestTable(
        "loops.*.on.*",
        [
            ManifestField(
                "if", .condition, "The transition applies only when this holds.", default: "always"),
            ManifestField(
                "from", .stringOrStrings, "The case or cases in which the transition applies.", default: "all"
            ),
            ManifestField(
                "to", .string, "The case to enter; it may be the current one, which is then entered again.",
                default: "the case does not change"),
            ManifestField("set", .table, "New values of fields, computed from the old state.", default: "{}"),
            ManifestField("ignore", .boolean, "Nothing happens, on purpose.", default: "false"),
            ownLet,
            ManifestField(
                "cases", .tables,
                "Several transitions in place of one: the first one whose conditions hold applies."),
        ])

    static let transitionLet = ManifestTable("loops.*.on.*.let", [], named: letEntry)

    static let transitionCase = ManifestTable(
        "loops.*.on.*.cases.*", transition.fields.filter { $0.name != "cases" })

    static let caseSet = ManifestTable("loops.*.on.*.cases.*.set", [], named: set.named)

    static let caseLet = ManifestTable("loops.*.on.*.cases.*.let", [], named: letEntry)

    static let delayedLet = ManifestTable("loops.*.after.*.let", [], named: letEntry)

    static let inCases = ManifestTable(
        "loops.*.in", [], named: ManifestField("", .table, "What happens in this case."))

    // What is below `on` and `feedback` is described where it stands without `in` (`CaseTables`).
    static let inCase = ManifestTable(
        "loops.*.in.*",
        [
            ManifestField("on", .table, "The transitions of the case, by event.", default: "{}"),
            ManifestField("after", .tableOrTables, "The delayed transitions of the case.", default: "[]"),
            ManifestField("feedback", .table, "The feedbacks that run in the case.", default: "{}"),
        ])

    static let migrate = ManifestTable(
        "loops.*.migrate", [],
        named: ManifestField("", .expression, "The value: an expression over `before`, or a constant."))

    static let `let` = ManifestTable("loops.*.let", [], named: letEntry)

    private static let ownLet = ManifestField(
        "let", .table, "Names for values, which the expressions of the transition may use.", default: "{}")

    private static let letEntry = ManifestField("", .expression, "The value: an expression or a constant.")

    static let set = ManifestTable(
        "loops.*.on.*.set", [],
        named: ManifestField("", .expression, "The new value: an expression or a constant."))

    static let after = ManifestTable(
        "loops.*.after", [],
        named: ManifestField(
            "", .tableOrTables, "A delayed transition of the case, or several."))

    static let delayed = ManifestTable(
        "loops.*.after.*",
        [
            ManifestField(
                "delay", .expressionText,
                "How long the case must last: a duration, or an expression over `config`.",
                isRequired: true),
            ManifestField(
                "if", .condition, "The transition applies only when this holds at that time.",
                default: "always"),
            ManifestField(
                "to", .string, "The case to enter; it may be the current one, which is then entered again.",
                default: "the case does not change"),
            ManifestField("set", .table, "New values of fields, computed from the old state.", default: "{}"),
            ownLet,
        ])

    static let delayedSet = ManifestTable(
        "loops.*.after.*.set", [],
        named: ManifestField("", .expression, "The new value: an expression or a constant."))

    static let feedbacks = ManifestTable(
        "loops.*.feedback", [], named: ManifestField("", .table, "A feedback."))

    static let feedback = ManifestTable(
        "loops.*.feedback.*",
        [
            ManifestField(
                "effect", .string, "The function to call, `plugin:effect` or `std:effect`.",
                default: "no effect: `send` alone"),
            ManifestField(
                "args", .arrayOrTable,
                "An expression or out-parameter for each parameter: a list, or by the names of the parameters.",
                default: "[]"),
            ManifestField("in", .stringOrStrings, "The cases in which the feedback runs.", default: "all"),
            ManifestField("when", .condition, "The feedback runs only when this holds.", default: "always"),
            ManifestField(
                "on", .stringOrStrings, "The feedback runs once for each such event.",
                default: "events start no run"),
            ManifestField(
                "trigger", .wordOrTable(TriggerWord.self),
                "`change`: when the values of `args` change; `state`: on every new state; `each`: one run per item.",
                default: "change"),
            ManifestField(
                "strategy", .word(FeedbackTrigger.Strategy.self),
                "What happens to a running call when the next one is due.",
                default: "`cancel-on-new-state`, or `queue` with `on`"),
            ManifestField("executor", .word(FeedbackExecutor.self), "Where the call runs.", default: "loop"),
            ManifestField(
                "fails-if", .condition, "The call has failed when this holds.",
                default: "the test that the plugin declares"),
            ManifestField("emit", .tableOrTables, "The events to send afterwards.", default: "[]"),
            ManifestField(
                "emits", .table, "The events to send for each emission of the effect, by its name.",
                default: "`emit`, or the event with the same name and fields"),
            ManifestField(
                "send", .tableOrTables, "The messages to send to gears afterwards.", default: "[]"),
            ManifestField(
                "on-error", .tableOrTables, "The events to send after a failure.",
                default: "a failure is a fault"),
            ManifestField(
                "debounce", .duration, "How long a start waits; a newer start replaces it and waits again.",
                default: "0s"),
            ManifestField("delay", .duration, "How long each run waits before it starts.", default: "0s"),
            ManifestField(
                "timeout", .duration, "How long an attempt may take before it has failed.",
                default: "no limit"),
            ManifestField(
                "retry", .integerOrTable,
                "How often a failed attempt is repeated, or a table that says more.",
                default: "0"),
            ManifestField("disabled", .boolean, "Whether the feedback never runs.", default: "false"),
            ManifestField(
                "durable", .boolean, "Whether the effect waits until its step is in an `every-step` journal.",
                default: "true"),
            ManifestField(
                "recover", .wordOrTables(RecoveryWord.self),
                "What happens to a run that a crash has interrupted: `again`, `drop`, or the events to send.",
                default: "again"),
        ])

    static let retry = ManifestTable(
        "loops.*.feedback.*.retry",
        [
            ManifestField(
                "times", .integer, "How often a failed attempt is repeated.", isRequired: true),
            ManifestField(
                "delay", .duration, "The wait before the first repetition; each later one is twice as long.",
                default: "0s"),
            ManifestField(
                "longest", .duration, "The longest wait.", default: "`1m`, or `delay` if that is longer"),
        ])

    static let arguments = ManifestTable(
        "loops.*.feedback.*.args", [],
        named: ManifestField("", .expression, "The argument for the parameter of this name."))

    static let argument = ManifestTable(
        "loops.*.feedback.*.args.*",
        [
            ManifestField("out", .integer, "An out-parameter: its number of elements."),
            ManifestField(
                "as", .word(OutWord.self), "How to read it: `string` or `bytes`.",
                default: "elements of its C type"),
            ManifestField(
                "used", .string,
                "The value that says how many of its bytes are used: `result` or `out.PARAMETER`.",
                default: "all bytes"),
            ManifestField(
                "inout", .expression,
                "The value before the call, of an out-parameter that the function also reads. `out` is its size.",
                default: "zeros"),
            ManifestField(
                "callback", .expression,
                "The answer to each call of a function pointer: an expression over `value`, or a table."),
        ], markers: ["out", "inout", "callback"])

    static let callback = ManifestTable(
        "loops.*.feedback.*.args.*.callback",
        [
            ManifestField(
                "result", .expression, "What a call returns to C: an expression over `value`, or a constant.",
                default: "zero"),
            ManifestField("emit", .tableOrTables, "The events to send for each call.", default: "[]"),
            ManifestField(
                "counts", .table,
                "How many elements are behind the callback's pointers, by parameter.", default: "{}"),
            ManifestField(
                "on-fault", .expression,
                "What a call returns that the host cannot answer: a constant, or an expression over `config`.",
                default: "zero"),
        ], markers: ["result", "emit", "counts", "on-fault"])

    static let callbackEmission = emission(at: "loops.*.feedback.*.args.*.callback.emit")

    static let callbackCounts = ManifestTable(
        "loops.*.feedback.*.args.*.callback.counts", [],
        named: ManifestField(
            "", .integerOrString, "The number of elements, or the parameter of the callback that gives it."))

    static let each = ManifestTable(
        "loops.*.feedback.*.trigger",
        [
            ManifestField(
                "each", .expressionText, "The list whose items get one run each.", isRequired: true),
            ManifestField(
                "key", .expressionText, "An expression over `item` whose value identifies an item.",
                default: "`item`"),
        ])

    static let emission = emission(at: "loops.*.feedback.*.emit")

    static let failureEmission = emission(at: "loops.*.feedback.*.on-error")

    static let namedEmission = emission(at: "loops.*.feedback.*.emits.*")

    static func emission(at path: String) -> ManifestTable {
        ManifestTable(
            path,
            [
                ManifestField("event", .string, "The event.", isRequired: true),
                ManifestField("if", .condition, "The event is sent only when this holds.", default: "always"),
            ], named: ManifestField("", .expression, "A field of the event: an expression or a constant."))
    }

    static let emits = ManifestTable(
        "loops.*.feedback.*.emits", [],
        named: ManifestField(
            "", .tableOrTables, "The events to send for an emission of this name; `[]` for none."))

    /// Both forms of `send`, for editors.
    static let send = ManifestTable(
        "loops.*.feedback.*.send",
        [
            ManifestField("gear", .string, "The gear to send the message to."),
            ManifestField("message", .string, "The message."),
            ManifestField("loop", .value, "The loop with a key to send an event to, without `gear`."),
            ManifestField("key", .expression, "The key of the instance that gets the event, with `loop`."),
            ManifestField("event", .value, "The event, with `loop`."),
            ManifestField("if", .condition, "It is sent only when this holds.", default: "always"),
        ],
        named: ManifestField("", .expression, "A field of the message or event: an expression or a constant.")
    )

    /// `send` to a gear: the fields of its messages may have any name.
    static let sendToGear = ManifestTable(
        send.path,
        [
            ManifestField("gear", .string, "The gear to send the message to.", isRequired: true),
            ManifestField("message", .string, "The message.", isRequired: true),
            ManifestField("if", .condition, "The message is sent only when this holds.", default: "always"),
        ], named: send.named)

    /// `send` to an instance of a loop with a key.
    static let sendToLoop = ManifestTable(
        send.path,
        [
            ManifestField("loop", .string, "The loop.", isRequired: true),
            ManifestField("key", .expression, "The key of the instance: an expression.", isRequired: true),
            ManifestField("event", .string, "The event.", isRequired: true),
            ManifestField("if", .condition, "The event is sent only when this holds.", default: "always"),
        ], named: send.named)

    static let receive = ManifestTable(
        "loops.*.receive", [], named: ManifestField("", .table, "A gear whose messages become events."))

    static let receivedGear = ManifestTable(
        "loops.*.receive.*", [],
        named: ManifestField(
            "", .tableOrTables, "A message: the event to make of it, or several events."))

    static let received = ManifestTable(
        "loops.*.receive.*.*",
        [
            ManifestField("event", .string, "The event.", isRequired: true),
            ManifestField("if", .condition, "The event is made only when this holds.", default: "always"),
        ], named: ManifestField("", .expression, "A field of the event: an expression or a constant."))

    /// `receive` of a loop with a key.
    static let receivedByKey = ManifestTable(
        received.path,
        received.fields + [
            ManifestField(
                "key", .expression, "The key of the instance that gets the event: an expression.",
                isRequired: true
            )
        ], named: received.named)

    static let gears = ManifestTable("gears", [], named: ManifestField("", .table, "A gear."))

    static let gear = ManifestTable(
        "gears.*",
        [
            ManifestField("messages", .table, "The messages and their fields.", isRequired: true),
            ManifestField(
                "replay", .integer,
                "How many of the last messages the gear keeps for loops that start later.",
                default: "0"),
        ])

    static let messages = ManifestTable(
        "gears.*.messages", [], named: ManifestField("", .table, "A message."))

    static let message = ManifestTable(
        "gears.*.messages.*", [],
        named: ManifestField("", .type, "A field's type, or a table with `type` and `doc`."))

    static let messageField = ManifestTable(
        "gears.*.messages.*.*",
        [
            ManifestField("type", .type, "The field's type."),
            ManifestField("doc", .string, "What the field is for."),
        ])

    static let appMailbox = ManifestTable("app.mailbox", mailboxFields)

    static let mailbox = ManifestTable("loops.*.mailbox", mailboxFields)

    private static let mailboxFields = [
        ManifestField(
            "capacity", .integer, "The greatest number of queued events.", default: "65536"),
        ManifestField(
            "overflow", .word(MailboxModel.Overflow.self),
            "How a full mailbox handles one more event: `reject`, `drop-oldest` or `drop-newest`.",
            default: "reject"),
    ]

    static let metrics = ManifestTable(
        "app.metrics",
        [
            ManifestField(
                "timing", .boolean,
                "Whether events, and the runs of feedbacks with their durations, are counted from the start.",
                default: "false")
        ])

    static let log = ManifestTable(
        "app.log",
        [
            ManifestField(
                "level", .word(LogModel.Level.self),
                "The lowest level that is logged: `trace`, `debug`, `info`, `warning` or `error`.",
                default: "info"),
            ManifestField(
                "format", .word(LogModel.Format.self),
                "The format of lines: `text`, `json`, or `journal` for entries of the system's journal.",
                default: "journal under systemd, else text"),
        ])
}
