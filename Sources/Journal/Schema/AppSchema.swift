public import Records

/// What the entries of an epoch mean: the loops and gears of the app, by names and types.
///
/// It is written at the start of each epoch, so a journal can be read without its manifest.
public struct AppSchema: Hashable, Sendable {
    /// The loops, in the order of the manifest.
    public var loops: [LoopSchema]
    /// The gears, in the order of the manifest.
    public var gears: [GearSchema]

    /// A schema.
    public init(loops: [LoopSchema], gears: [GearSchema]) {
        (self.loops, self.gears) = (loops, gears)
    }
}

/// A name with the type of a record: an event of a loop, or a message of a gear.
public struct NamedType: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// The type of its fields.
    public let type: RecordType

    /// A name and a type.
    public init(_ name: String, _ type: RecordType) {
        (self.name, self.type) = (name, type)
    }
}

/// A loop in a schema.
public struct LoopSchema: Hashable, Sendable {
    /// A feedback, in the engine's order: receivers of gears, the feedbacks of the manifest, delays.
    public struct Feedback: Hashable, Sendable {
        /// What asks for a run.
        public enum Trigger: UInt8, Hashable, Sendable {
            case receiver, change, state, event, each, delay
        }

        /// Its name.
        public let name: String
        /// What asks for a run.
        public let trigger: Trigger

        /// A feedback.
        public init(_ name: String, _ trigger: Trigger) {
            (self.name, self.trigger) = (name, trigger)
        }
    }

    /// A message that the loop receives, by the indices of its gear and of itself.
    public struct Reception: Hashable, Sendable {
        /// Index into `AppSchema.gears`.
        public let gear: Int
        /// Index into `GearSchema.messages`.
        public let message: Int

        /// A message of a gear.
        public init(gear: Int, message: Int) {
            (self.gear, self.message) = (gear, message)
        }
    }

    /// Its name.
    public let name: String
    /// The type of its state.
    public let state: RecordType
    /// Its events.
    public let events: [NamedType]
    /// Its feedbacks.
    public let feedbacks: [Feedback]
    /// The messages that it receives.
    public let receives: [Reception]

    /// A loop.
    public init(
        name: String, state: RecordType, events: [NamedType], feedbacks: [Feedback], receives: [Reception]
    ) {
        (self.name, self.state, self.events) = (name, state, events)
        (self.feedbacks, self.receives) = (feedbacks, receives)
    }

    /// The feedback of the same name and trigger in an earlier schema; of several, such as delays of one case, the one
    /// with the same place among them.
    func counterpart(of index: Int, in old: LoopSchema) -> Int? {
        let place = feedbacks[..<index].count { $0 == feedbacks[index] }
        return old.feedbacks.indices.filter { old.feedbacks[$0] == feedbacks[index] }.dropFirst(place).first
    }
}

/// A gear in a schema.
public struct GearSchema: Hashable, Sendable {
    /// Its name.
    public let name: String
    /// Its messages.
    public let messages: [NamedType]

    /// A gear.
    public init(name: String, messages: [NamedType]) {
        (self.name, self.messages) = (name, messages)
    }
}
