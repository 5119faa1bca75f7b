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
        writeInstances(to: &text)
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

    /// What a loop with a key has.
    private func writeInstances(to text: inout MetricText) {
        add("instances", .gauge, "spinhost_instances", "Instances of a loop with a key.", to: &text)
        add(
            "busy", .gauge, "spinhost_busy_instances", "Instances that rest while their effects run.",
            to: &text)
        add("kept", .gauge, "spinhost_kept_instances", "Ended instances whose last state is kept.", to: &text)
        add("made", .counter, "spinhost_instances_made_total", "Instances that were made.", to: &text)
        add("ended", .counter, "spinhost_instances_ended_total", "Instances that have ended.", to: &text)
        for (reason, key) in [("limit", "refusedByLimit"), ("absent", "refusedAsAbsent")] {
            guard let value = counters[key]?.digits else { continue }
            text.add(
                .counter, "spinhost_instance_refusals_total", "Events that no instance got.",
                [("loop", loop), ("reason", reason)], value)
        }
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
