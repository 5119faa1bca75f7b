extension ManifestTable {
    static let sandbox = ManifestTable(
        "plugins.*.sandbox",
        [
            ManifestField(
                "read", .strings,
                "Files and folders that the plugin may read, from the manifest's folder on.",
                default: "[]"),
            ManifestField("write", .strings, "Files and folders that the plugin may write.", default: "[]"),
            ManifestField("exec", .strings, "Programs that the plugin may start.", default: "[]"),
            ManifestField(
                "connect", .strings,
                "What the plugin may connect to: `tcp:PORT`, or `unix` for local sockets.",
                default: "[]"),
            ManifestField(
                "listen", .strings,
                "Where the plugin may listen: `tcp:PORT`. `tcp:0` is a port that the kernel chooses.",
                default: "[]"),
            ManifestField("env", .table, "The whole environment of the process, by name.", default: "{}"),
            ManifestField(
                "memory", .integerOrString,
                "The address space above that of the process itself: 4 KiB to 1 TiB; an integer is bytes.",
                default: "no limit"),
            ManifestField(
                "cpu", .duration,
                "The processor time of one call. The host ends the process of a call that takes more.",
                default: "no limit"),
            ManifestField(
                "files", .integer, "The greatest number of open descriptors, at least 16.", default: "64"),
            ManifestField(
                "processes", .integer, "The greatest number of child processes. Threads do not count.",
                default: "0"),
            ManifestField(
                "cancel-grace", .duration,
                "After this time the host ends the process of a call that ignores its cancellation.",
                default: "2s"),
            ManifestField(
                "share", .string, "A word: plugins with the same word live in one process.",
                default: "a process of its own"),
            ManifestField(
                "restart", .table, "How the host replaces the process when it has ended.",
                default: "as its keys say"),
        ])

    static let sandboxEnv = ManifestTable(
        "plugins.*.sandbox.env", [], named: ManifestField("", .string, "A variable of the environment."),
        namePattern: "[A-Za-z_][A-Za-z0-9_]*")

    static let restart = ManifestTable(
        "plugins.*.sandbox.restart",
        [
            ManifestField(
                "backoff", .strings, "The wait before the first restart, and the longest one.",
                default: "100ms, 10s"),
            ManifestField(
                "limit", .integer, "After so many restarts within `within`, the plugin is quarantined.",
                default: "5"),
            ManifestField("within", .duration, "The time in which restarts count.", default: "1m"),
        ])
}
