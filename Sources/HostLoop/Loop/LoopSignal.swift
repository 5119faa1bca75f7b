/// What the draining thread has to look at before it takes the next event: bits of `Mailbox.signals`.
@usableFromInline
enum LoopSignal {
    /// Something is in the inbox that may be of a run.
    @inlinable static var mail: UInt8 { 1 }
    /// The loop stops.
    @inlinable static var stop: UInt8 { 2 }
    /// Something that is no event is in the inbox, or was moved over and waits for the end of the step.
    @inlinable static var notices: UInt8 { 4 }
    /// Performed steps wait to be delivered.
    @inlinable static var performed: UInt8 { 8 }
    /// Always raised when the mailbox is bounded: entries give their room back.
    @inlinable static var bounded: UInt8 { 16 }
    /// Events from outside are in the inbox: these may wait until the queue is empty.
    @inlinable static var events: UInt8 { 32 }
}
