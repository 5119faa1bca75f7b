import Records

/// The counters of a loop or of an app, as a running host sends them, for people.
struct CounterLine {
    private let counters: Value

    init(_ counters: Value) { self.counters = counters }

    /// `door: 3 steps, 4 events (1 unhandled), 0 drops, 0 faults`, in the words of the summary of a run.
    /// Numbers in brackets that are 0 are left out.
    var text: String {
        let name = if case .string(let loop)? = counters["loop"] { loop } else { "all" }
        var parts = [
            CountText.count(self["steps"], "step"),
            CountText.count(self["events"], "event")
                + others([
                    "unhandled": "unhandled", "withdrawn": "withdrawn", "discarded": "discarded",
                    "refused": "refused",
                ]),
            CountText.count(self["drops"], "drop") + drops, CountText.count(self["faults"], "fault"),
        ]
        let swaps = others([
            "refusedSwaps": "refused", "failedSwaps": "failed", "rollBacks": "rolled back",
        ])
        if self["swaps"] > 0 || !swaps.isEmpty {
            parts.append(CountText.count(self["swaps"], "swap") + swaps)
        }
        if counters["instances"] != nil {
            let refused: KeyValuePairs = [
                "kept": "kept", "refusedByLimit": "events over the limit",
                "refusedAsAbsent": "events without instance",
            ]
            parts.append(CountText.count(self["instances"], "instance") + others(refused))
        }
        return "\(name): \(parts.joined(separator: ", "))"
    }

    private var drops: String {
        let lost = self["lostMessages"]
        return lost > 0
            ? " (\(CountText.count(lost, "message")) lost)"
            : others(["late": "late", "dropped": "from a full mailbox", "droppedStarts": "not started"])
    }

    /// ` (1 unhandled, 2 withdrawn)`; empty when all are 0.
    private func others(_ words: KeyValuePairs<String, String>) -> String {
        let counts = words.filter { self[$0.key] > 0 }.map {
            "\(CountText.grouped(self[$0.key])) \($0.value)"
        }
        return counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))"
    }

    /// 0 for a counter that the host does not have.
    private subscript(key: String) -> Int {
        if case .int(let number)? = counters[key] { Int(number) } else { 0 }
    }
}
