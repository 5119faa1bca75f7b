extension Recording.Entry: Codable where State: Codable, Event: Codable {
    private enum CodingKeys: String, CodingKey { case event, run, state }

    /// Decodes an entry. Without `state`, the event was not handled.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        event = try container.decode(Event.self, forKey: .event)
        run = try container.decodeIfPresent(EffectRun.self, forKey: .run)
        // A state of an optional type may be null.
        state = container.contains(.state) ? try container.decode(State.self, forKey: .state) : nil
    }

    /// Encodes the entry, without `state` if the event was not handled.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(event, forKey: .event)
        try container.encodeIfPresent(run, forKey: .run)
        if let state { try container.encode(state, forKey: .state) }
    }
}
