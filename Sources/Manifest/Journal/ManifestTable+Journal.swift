extension ManifestTable {
    static let journal = ManifestTable(
        "app.journal",
        [
            ManifestField(
                "file", .string, "The journal's file, from the manifest's folder on.", isRequired: true),
            ManifestField(
                "durable", .word(JournalModel.Durability.self),
                "When a step is safe on the disk: `off`, `batched` or `every-step`.", default: "batched"),
            ManifestField(
                "interval", .duration, "The longest time from a step to its commit: 1 ms to 10 s.",
                default: "10ms"),
            ManifestField(
                "snapshot", .string, "How much is written between two snapshots: 4 KiB to 1 TiB.",
                default: "16MiB"),
            ManifestField(
                "keep", .integerOrString,
                "How much of the past is kept: `all`, a time, a size, or a number of steps.",
                default: "all"),
            ManifestField(
                "full", .word(JournalModel.WhenFull.self),
                "What the app does when the journal cannot be written: `stop` or `continue`.",
                default: "stop"),
            ManifestField(
                "timers", .word(JournalModel.Timers.self),
                "Whether the time between two processes counts for `after`: `wall` or `pause`.",
                default: "wall"),
        ])

    static let recovery = emission(at: "loops.*.feedback.*.recover")
}
