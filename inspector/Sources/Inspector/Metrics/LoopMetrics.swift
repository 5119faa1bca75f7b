/// The metrics of a loop.
struct LoopMetrics {
    private let loop: String
    private let counters: JSON

    /// - Parameter counters: an element of the answer to `counters`.
    init(_ loop: String, _ counters: JSON) { (self.loop, self.counters) = (loop, counters) }

    func write(to text: inout MetricText) {
        add("steps", .counter, "spinhost_steps_total", "Events that made a new state.", to: &text)
        let outcomes = [
            ("handled", "steps"), ("unhandled", "unhandled"), ("withdrawn", "withdrawn"), ("late", "late"),
            ("dropped", "dropped"), ("discarded", "discarded"), ("refused", "refused"),
        ]
        for (outcome, key) in outcomes {
            guard let value = counters[key]?.digits else { continue }
            text.add(
                .counter, "spinhost_events_total", "Events by what became of them.",
                [("loop", loop), ("outcome", outcome)], value)
        }
        add(
            "droppedStarts", .counter, "spinhost_dropped_starts_total",
            "Starts of feedbacks that a full mailbox refused.", to: &text)
        writeFaults(to: &text)
        add("queue", .gauge, "spinhost_queue_events", "Events that wait.", to: &text)
        add("running", .gauge, "spinhost_runs", "Runs of feedbacks that have not ended.", to: &text)
        guard let watched = counters["watched"] else { return }
        for origin in watched["events"]?.members ?? [] {
            for outcome in origin.value.members {
                guard let value = outcome.value.digits else { continue }
                text.add(
                    .counter, "spinhost_events_by_origin_total",
                    "Events by their origin, counted while the loop is watched.",
                    [("loop", loop), ("origin", origin.key), ("outcome", outcome.key)], value)
            }
        }
        for feedback in watched["feedbacks"]?.elements ?? [] { write(feedback, to: &text) }
    }

    /// Failures by their code. An older host counts them without codes.
    private func writeFaults(to text: inout MetricText) {
        let codes = counters["faultCodes"]?.members.map { ($0.key, $0.value.digits) }
        for (code, count) in codes ?? [("", counters["faults"]?.digits)] {
            guard let count else { continue }
            text.add(
                .counter, "spinhost_faults_total", "Failures in a loop.", [("loop", loop), ("code", code)],
                count)
        }
    }

    private func write(_ feedback: JSON, to text: inout MetricText) {
        guard let name = feedback["feedback"]?.text else { return }
        let labels = [("loop", loop), ("feedback", name)]
        if let running = feedback["running"]?.digits {
            text.add(
                .gauge, "spinhost_effects_running", "Runs of a feedback that have not ended.", labels, running
            )
        }
        // An older host counts only how runs ended.
        let older = [("succeeded", "ended"), ("failed", "failed"), ("cancelled", "cancelled")]
        let outcomes =
            feedback["outcomes"]?.members.map { ($0.key, $0.value.digits) }
            ?? older.map { ($0.0, feedback[$0.1]?.digits) }
        for (outcome, count) in outcomes {
            guard let count else { continue }
            text.add(
                .counter, "spinhost_effect_calls_total",
                "Runs of a feedback that are over, counted while the loop is watched.",
                labels + [("plugin", feedback["plugin"]?.text ?? ""), ("outcome", outcome)], count)
        }
        PowerHistogram(feedback).write(
            "spinhost_effect_seconds", "How long runs of a feedback took, while the loop is watched.", labels,
            to: &text)
    }

    private func add(
        _ key: String, _ kind: MetricText.Kind, _ name: String, _ help: String, to text: inout MetricText
    ) {
        guard let value = counters[key]?.digits else { return }
        text.add(kind, name, help, [("loop", loop)], value)
    }
}
