/// What the draining thread has to look at before it takes the next event: bits of `Door.signals`.
@usableFromInline
enum LoopSignal {
    /// The inbox has an item that may be of a run.
    @inlinable static var mail: UInt8 { 1 }
    /// The loop stops.
    @inlinable static var stop: UInt8 { 2 }
    /// The inbox has a notice, or one was moved over and waits for the end of the step.
    @inlinable static var notices: UInt8 { 4 }
    /// Performed steps wait to be delivered.
    @inlinable static var performed: UInt8 { 8 }
    /// Always raised when the mailbox is bounded: entries give their room back.
    @inlinable static var bounded: UInt8 { 16 }
    /// The inbox has events from outside: these may wait until the queue is empty.
    @inlinable static var events: UInt8 { 32 }
    /// The run table has rows of runs whose call executes on the loop's executor, or has just returned.
    @inlinable static var callingRows: UInt8 { 64 }
}
