/// The metrics of the whole app.
struct AppMetrics {
    private let counters: JSON

    /// - Parameter counters: the last element of the answer to `counters`.
    init(_ counters: JSON) { self.counters = counters }

    func write(to text: inout MetricText) {
        add(
            "drops", .counter, "spinhost_app_drops_total",
            "Emissions that became no event, also of loops that are gone.", to: &text)
        add(
            "faults", .counter, "spinhost_app_faults_total",
            "Failures, also those that belong to no loop.", to: &text)
        add(
            "lostMessages", .counter, "spinhost_lost_messages_total",
            "Messages of gears that a loop did not get.", to: &text)
        writeSwaps(to: &text)
        PowerHistogram(counters["swapPauses"]).write(
            "spinhost_swap_pause_seconds", "How long calls waited for swaps that succeeded.", [], to: &text)
        for message in counters["messages"]?.elements ?? [] {
            write(
                message, "spinhost_gear_messages_total", "Messages of gears, by what became of them.",
                [("gear", message["gear"]?.text ?? ""), ("message", message["message"]?.text ?? "")],
                [("sent", "sent"), ("delivered", "delivered"), ("lost", "lost")], to: &text)
        }
        for plugin in counters["plugins"]?.elements ?? [] { Self.write(plugin: plugin, to: &text) }
        for (grade, key) in [("in_use", "inUse"), ("unmapped", "unmapped"), ("kept", "kept")] {
            guard let value = counters["images"]?[key]?.digits else { continue }
            text.add(.gauge, "spinhost_images", "Replaced libraries.", [("grade", grade)], value)
        }
        if let bytes = counters["images"]?["keptBytes"]?.digits {
            text.add(.gauge, "spinhost_kept_images_bytes", "Size of replaced libraries that stay.", [], bytes)
        }
        if let journal = counters["journal"] { Self.write(journal, to: &text) }
    }

    /// Swaps of each plugin. An older host counts them for all plugins together.
    private func writeSwaps(to text: inout MetricText) {
        let (name, help) = ("spinhost_swaps_total", "Swaps of plugins, by what became of them.")
        guard let swaps = counters["swapOutcomes"] else {
            return write(
                counters, name, help, [("plugin", "")],
                [
                    ("swapped", "swaps"), ("refused", "refusedSwaps"), ("failed", "failedSwaps"),
                    ("rolled_back", "rollBacks"),
                ], to: &text)
        }
        for plugin in swaps.elements {
            write(
                plugin, name, help, [("plugin", plugin["plugin"]?.text ?? "")],
                [
                    ("swapped", "swapped"), ("refused", "refused"), ("failed", "failed"),
                    ("rolled_back", "rolledBack"),
                ], to: &text)
        }
    }

    /// Writes a counter for each outcome.
    ///
    /// - Parameter outcomes: the names of the outcomes, and their keys.
    private func write(
        _ counts: JSON, _ name: String, _ help: String, _ labels: MetricText.Labels,
        _ outcomes: [(name: String, key: String)], to text: inout MetricText
    ) {
        for outcome in outcomes {
            guard let value = counts[outcome.key]?.digits else { continue }
            text.add(.counter, name, help, labels + [("outcome", outcome.name)], value)
        }
    }

    private static func write(plugin: JSON, to text: inout MetricText) {
        guard let name = plugin["plugin"]?.text else { return }
        if let calls = plugin["calls"]?.digits {
            text.add(
                .counter, "spinhost_plugin_calls_total", "Calls of effects of a plugin by watched loops.",
                [("plugin", name)], calls)
        }
        if let longest = plugin["longest"]?.integer {
            text.add(
                .gauge, "spinhost_plugin_longest_call_seconds", "The longest of these calls.",
                [("plugin", name)], MetricNumber.seconds(nanoseconds: longest))
        }
    }

    private static func write(_ journal: JSON, to text: inout MetricText) {
        let values: [(key: String, kind: MetricText.Kind, name: String, help: String)] = [
            ("position", .gauge, "position", "The position of the last entry."),
            ("durable", .gauge, "durable_position", "The position of the last committed entry."),
            ("bytes", .counter, "bytes_total", "Written bytes."),
            ("commits", .counter, "commits_total", "Commits."),
            ("waits", .counter, "waits_total", "How often a loop waited for the journal."),
        ]
        for (key, kind, name, help) in values {
            guard let value = journal[key]?.digits else { continue }
            text.add(kind, "spinhost_journal_\(name)", help, [], value)
        }
        if case .bool(let isBroken)? = journal["broken"] {
            text.add(
                .gauge, "spinhost_journal_broken", "1 if the journal cannot be written any more.", [],
                isBroken ? "1" : "0")
        }
        PowerHistogram(journal["commitTimes"]).write(
            "spinhost_journal_commit_seconds", "How long commits took.", [], to: &text)
    }

    private func add(
        _ key: String, _ kind: MetricText.Kind, _ name: String, _ help: String, to text: inout MetricText
    ) {
        guard let value = counters[key]?.digits else { return }
        text.add(kind, name, help, [], value)
    }
}
