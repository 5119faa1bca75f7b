import Journal

extension Graph {
    /// The loops of a journal: states, events and feedbacks. A journal does not know which feedback emits which event.
    init(_ schema: AppSchema) {
        self.init()
        let messages = schema.gears.map { gear in
            gear.messages.map {
                addNode(["\(gear.name).\($0.name)"], .message, id: "gear/\(gear.name)/\($0.name)", in: nil)
            }
        }
        for loop in schema.loops {
            let group = addGroup(loop.name, id: loop.name)
            let state = addNode(["state"], .state, id: "\(loop.name)/state", in: group)
            for event in loop.events {
                let node = addNode([event.name], .event, id: "\(loop.name)/event/\(event.name)", in: group)
                addEdge(from: node, to: state)
            }
            for feedback in loop.feedbacks where ![.delay, .receiver].contains(feedback.trigger) {
                let node = addNode(
                    [feedback.name], .feedback, id: "\(loop.name)/feedback/\(feedback.name)", in: group)
                addEdge(from: state, to: node, label: feedback.trigger == .event ? "on" : "")
            }
            for receive in loop.receives {
                addEdge(from: messages[receive.gear][receive.message], to: state)
            }
        }
    }
}
