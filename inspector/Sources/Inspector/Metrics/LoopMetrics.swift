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
        add("faults", .counter, "spinhost_faults_total", "Failures in a loop.", to: &text)
        add("queue", .gauge, "spinhost_queue_events", "Events that wait.", to: &text)
        add("running", .gauge, "spinhost_runs", "Runs of feedbacks that last.", to: &text)
        guard let watched = counters["watched"] else { return }
        for origin in watched["events"]?.members ?? [] {
            for outcome in origin.value.members {
                guard let value = outcome.value.digits else { continue }
                text.add(
                    .counter, "spinhost_watched_events_total",
                    "Events by their origin, counted while the loop is watched.",
                    [("loop", loop), ("origin", origin.key), ("outcome", outcome.key)], value)
            }
        }
        for feedback in watched["feedbacks"]?.elements ?? [] { write(feedback, to: &text) }
    }

    private func write(_ feedback: JSON, to text: inout MetricText) {
        guard let name = feedback["feedback"]?.text else { return }
        let labels = [("loop", loop), ("feedback", name)]
        if let running = feedback["running"]?.digits {
            text.add(.gauge, "spinhost_effects_running", "Runs of a feedback that last.", labels, running)
        }
        for outcome in ["began", "ended", "cancelled", "failed"] {
            guard let value = feedback[outcome]?.digits else { continue }
            text.add(
                .counter, "spinhost_effect_calls_total",
                "Runs of a feedback, counted while the loop is watched.",
                labels + [("outcome", outcome)], value)
        }
        guard let sum = feedback["sum"]?.integer else { return }
        let counts = (feedback["buckets"]?.elements ?? []).map { $0.integer ?? 0 }
        let histogram = PowerHistogram(counts)
        text.addHistogram(
            "spinhost_effect_seconds", "How long runs of a feedback took, while the loop is watched.", labels,
            buckets: histogram.buckets, sum: MetricNumber.seconds(nanoseconds: sum),
            count: "\(histogram.count)")
    }

    private func add(
        _ key: String, _ kind: MetricText.Kind, _ name: String, _ help: String, to text: inout MetricText
    ) {
        guard let value = counters[key]?.digits else { return }
        text.add(kind, name, help, [("loop", loop)], value)
    }
}
