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
        let outcomes = [
            ("swapped", "swaps"), ("refused", "refusedSwaps"), ("failed", "failedSwaps"),
            ("rolled_back", "rollBacks"),
        ]
        for (outcome, key) in outcomes {
            add(key, .counter, "spinhost_swaps_total", "Swaps of plugins.", [("outcome", outcome)], to: &text)
        }
        for (grade, key) in [("in_use", "inUse"), ("unmapped", "unmapped"), ("kept", "kept")] {
            guard let value = counters["images"]?[key]?.digits else { continue }
            text.add(.gauge, "spinhost_images", "Replaced libraries.", [("grade", grade)], value)
        }
        if let journal = counters["journal"] { Self.write(journal, to: &text) }
    }

    private static func write(_ journal: JSON, to text: inout MetricText) {
        let values: [(key: String, kind: MetricText.Kind, name: String, help: String)] = [
            ("position", .gauge, "position", "The position of the last entry."),
            ("durable", .gauge, "durable_position", "The position of the last committed entry."),
            ("bytes", .gauge, "bytes", "Written bytes."),
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
    }

    private func add(
        _ key: String, _ kind: MetricText.Kind, _ name: String, _ help: String,
        _ labels: MetricText.Labels = [], to text: inout MetricText
    ) {
        guard let value = counters[key]?.digits else { return }
        text.add(kind, name, help, labels, value)
    }
}
