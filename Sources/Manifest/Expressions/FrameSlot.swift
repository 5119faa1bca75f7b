/// The slots in the frame of every expression of a manifest. Each holds the address of one value.
public enum FrameSlot: Int, Sendable, CaseIterable {
    /// A record of the loop's `stateType`.
    case state
    /// A record of the event's `type`: in a reducer, and in a feedback with `on`.
    case event
    /// The manifest's `config`.
    case config
    /// A record of the call's `signature.outcome`, with `result`, `errno` and `out`: in `fails-if` and
    /// `emit`.
    case call
    /// A record of the emitter's `payload`: in `emit` of an effect that emits.
    case value
    /// An item of the list in `trigger = { each = … }`.
    case item
    /// A record of `FailureRecord.type`: in `on-error`.
    case error
    /// One timestamp, an `int64_t` of nanoseconds since the Unix epoch: the time of the step.
    case now
    /// A record of the gear message's `type`: in `receive`.
    case message
    /// A record of `RunRecord.type`: in `args`.
    case run
    /// The `BindingMemory` of the names in `let`.
    case bindings
}
