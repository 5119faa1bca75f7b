import Diagnostics
import Manifest

extension Graph {
    /// The loops of a manifest: states, feedbacks with trigger and effect, and the events between them.
    init(_ manifest: Manifest) {
        self.init()
        for loop in manifest.loops { add(loop, of: manifest) }
    }

    private mutating func add(_ loop: LoopModel, of manifest: Manifest) {
        let group = addGroup(loop.name)
        let until = loop.until.map { ["until \($0.source.text)"] } ?? []
        let state = addNode(["state"] + until, .state, in: group)
        let events = loop.events.map { addNode([$0.name], .event, in: group) }
        for (event, transitions) in zip(events, loop.transitions) where !transitions.isEmpty {
            let isIgnored = transitions.allSatisfy(\.isIgnored)
            addEdge(from: event, to: state, label: isIgnored ? "ignored" : "", isDashed: isIgnored)
        }
        for feedback in loop.feedbacks {
            let node = addNode(lines(of: feedback, manifest), .feedback, in: group)
            let isDashed = feedback.isDisabled
            var drawn: Set<String> = []
            func isNew(_ edge: String) -> Bool { drawn.insert(edge).inserted }
            for variant in feedback.variants {
                let condition = variant.condition.map { "when \($0.source.text)" } ?? ""
                let from = variant.event.map { events[$0] } ?? state
                let label = [word(for: feedback.trigger), condition].filter { !$0.isEmpty }
                    .joined(separator: ", ")
                guard isNew("from \(from) \(label)") else { continue }
                addEdge(from: from, to: node, label: label, isDashed: isDashed)
            }
            for variant in feedback.variants {
                for (batch, isError) in variant.batches.map({ ($0, false) })
                    + (variant.onError.map { [($0, true)] } ?? [])
                {
                    for emission in batch.emissions {
                        let condition = emission.condition.map { "if \($0.source.text)" } ?? ""
                        let label = [isError ? "on error" : "", condition].filter { !$0.isEmpty }
                            .joined(separator: ", ")
                        guard isNew("to \(emission.event) \(label)") else { continue }
                        addEdge(from: node, to: events[emission.event], label: label, isDashed: isDashed)
                    }
                }
            }
        }
    }

    /// What to say of a trigger beside the condition; a change of what is read needs no words.
    private func word(for trigger: FeedbackTrigger) -> String {
        switch trigger {
        case .change, .events: ""
        case .state: "new state"
        case .each: "each item"
        }
    }

    /// Its name, what it calls, and what is special about it.
    private func lines(of feedback: FeedbackModel, _ manifest: Manifest) -> [String] {
        var lines = [feedback.name]
        if let effect = feedback.effect {
            let plugin =
                switch effect.provider {
                case .standard: "std"
                case .plugin(let index): manifest.plugins[index].name
                }
            lines.append("\(plugin):\(effect.name)")
        }
        return lines + (feedback.isDisabled ? ["disabled"] : [])
    }
}
