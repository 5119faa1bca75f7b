import Diagnostics
import Manifest
import Records

extension Graph {
    /// The loops of a manifest: states, feedbacks with trigger and effect, and the events between them.
    init(_ manifest: Manifest) {
        self.init()
        let messages = manifest.gears.map { gear in
            gear.messages.map {
                addNode(["\(gear.name).\($0.name)"], .message, id: "gear/\(gear.name)/\($0.name)", in: nil)
            }
        }
        for loop in manifest.loops { add(loop, of: manifest, messages) }
    }

    private mutating func add(_ loop: LoopModel, of manifest: Manifest, _ messages: [[Endpoint]]) {
        let group = addGroup(loop.name, id: loop.name, key: loop.key?.kind.rawValue)
        let state = addState(of: loop, in: group)
        // Delayed transitions are arrows between cases: no feedback or user sends their events.
        let events = loop.events.filter { $0.delay == nil }.map {
            addNode([$0.name], .event, id: "\(loop.name)/event/\($0.name)", in: group)
        }
        for (event, transitions) in zip(events, loop.transitions) where !transitions.isEmpty {
            let isIgnored = transitions.allSatisfy(\.isIgnored)
            addEdge(from: event, to: state, label: isIgnored ? "ignored" : "", isDashed: isIgnored)
        }
        for received in loop.receives {
            let label = received.condition.map { "if \($0.source.text)" } ?? ""
            addEdge(from: messages[received.gear][received.message], to: events[received.event], label: label)
        }
        for feedback in loop.feedbacks {
            let node = addNode(
                lines(of: feedback, manifest), .feedback, id: "\(loop.name)/feedback/\(feedback.name)",
                in: group)
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
            func addEvents(of batch: EmissionBatch, _ occasion: String) {
                for emission in batch.emissions {
                    let condition = emission.condition.map { "if \($0.source.text)" } ?? ""
                    let label = [occasion, condition].filter { !$0.isEmpty }.joined(separator: ", ")
                    guard isNew("to \(emission.event) \(label)") else { continue }
                    addEdge(from: node, to: events[emission.event], label: label, isDashed: isDashed)
                }
            }
            for variant in feedback.variants {
                let batches = variant.allBatches
                for (index, batch) in batches.enumerated() {
                    let isError = variant.onError != nil && index == batches.count - 1
                    addEvents(of: batch, isError ? "on error" : "")
                    for message in batch.messages {
                        let label = message.condition.map { "if \($0.source.text)" } ?? ""
                        guard isNew("send \(message.gear) \(message.message) \(label)") else { continue }
                        addEdge(
                            from: node, to: messages[message.gear][message.message], label: label,
                            isDashed: isDashed)
                    }
                }
            }
            if case .emit(let batch) = feedback.recovery { addEvents(of: batch, "after a crash") }
        }
    }

    /// Adds the state: one node, or a frame with a node for each case and the transitions between them.
    private mutating func addState(of loop: LoopModel, in group: Int) -> Endpoint {
        let until =
            (loop.key.map { ["key of type \($0.kind.rawValue)"] } ?? [])
            + (loop.until.map { ["until \($0.source.text)"] } ?? [])
        let cases = loop.stateType.cases
        let id = "\(loop.name)/state"
        guard !cases.isEmpty else { return addNode(["state"] + until, .state, id: id, in: group) }
        let frame = addGroup((["state"] + until).joined(separator: ", "), id: id, in: group)
        let nodes = cases.map { addNode([$0.name], .state, id: "\(id)/\($0.name)", in: frame) }
        for (event, transitions) in zip(loop.events, loop.transitions) {
            for transition in transitions {
                guard let to = transition.to else { continue }
                let condition = transition.condition.map { " if \($0.source.text)" } ?? ""
                for from in transition.from.map({ $0.sorted() }) ?? Array(cases.indices) {
                    addEdge(from: nodes[from], to: nodes[to], label: event.name + condition)
                }
            }
        }
        return .group(frame)
    }

    /// The label of a trigger; empty for the default trigger and for events, whose arrows are enough.
    private func word(for trigger: FeedbackTrigger) -> String {
        switch trigger {
        case .change, .events: ""
        case .state: "new state"
        case .each: "each item"
        }
    }

    /// The lines of a feedback's node: its name, its effect, and whether it is disabled.
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
