import Journal
import Manifest

extension AppSchema {
    /// The schema of a manifest.
    init(_ manifest: Manifest) {
        self.init(
            loops: manifest.loops.map { LoopSchema($0, in: manifest) },
            gears: manifest.gears.map { gear in
                GearSchema(
                    name: gear.name, messages: gear.messages.map { NamedType($0.name, $0.type) })
            })
    }
}

extension LoopSchema {
    /// A loop of the manifest. Its feedbacks have the order of `LoopAssembly.parts`.
    init(_ loop: LoopModel, in manifest: Manifest) {
        let feedbacks =
            loop.receivedGears.map { Feedback("gear:\(manifest.gears[$0].name)", .receiver) }
            + loop.feedbacks.filter { !$0.isDisabled }.map { Feedback($0.name, $0.trigger.inJournal) }
            + loop.delays.map { Feedback(loop.events[$0.event].name, .delay) }
        self.init(
            name: loop.name, state: loop.stateType, events: loop.events.map { NamedType($0.name, $0.type) },
            feedbacks: feedbacks,
            // What a loop outside the journal has received is not known later, so no message waits for it.
            receives: loop.isJournaled
                ? loop.receives.map { Reception(gear: $0.gear, message: $0.message) } : [])
    }
}

extension LoopModel {
    /// The gears that the loop receives messages of, each once.
    var receivedGears: [Int] {
        receives.reduce(into: []) { gears, receive in
            if !gears.contains(receive.gear) { gears.append(receive.gear) }
        }
    }
}

extension FeedbackTrigger {
    fileprivate var inJournal: LoopSchema.Feedback.Trigger {
        switch self {
        case .change: .change
        case .state: .state
        case .events: .event
        case .each: .each
        }
    }
}
