import Manifest
import Records

/// The records that the expressions of one run can name, kept as long as the run: the state and the event
/// that started it, and its item. Used from any thread.
struct RunScope: Sendable {
    let config: Record
    /// `LoopModel.bindings` of the loop.
    let bindings: Int
    let state: Record
    var event: Record?
    /// A record with the item as its only field.
    var item: Record?
    /// A record of `RunRecord.type`, if an argument or a callback reads it.
    var run: Record?
    /// The number of the run among those of its feedback in all instances of a loop with a key; nil for another loop.
    var number: UInt64?

    /// A frame of its own, in which `now` is the time of this call. This value must be kept while expressions are
    /// evaluated in it.
    func makeFrame() -> ExpressionFrame {
        let frame = ExpressionFrame(config: config, bindings: bindings)
        // Safe because the caller keeps this value, and so the records.
        unsafe frame.bind(.state, to: state.unsafeBase)
        unsafe frame.bind(.event, to: event?.unsafeBase)
        unsafe frame.bind(.item, to: item?.unsafeBase)
        unsafe frame.bind(.run, to: run?.unsafeBase)
        frame.takeTime()
        return frame
    }

    /// Calls `body` with a frame of its own, in which `now` is the time of this call.
    func evaluate<Result>(
        _ body: (ExpressionFrame) throws(RunFault) -> Result
    ) throws(RunFault) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(makeFrame())
    }

    /// The same with the frame of an earlier call, unless it is in use.
    ///
    /// - Parameter spare: keeps the frame between the calls. It is used with one scope, or copies of it.
    func evaluate<Result>(
        with spare: borrowing SpareFrame, _ body: (ExpressionFrame) throws(RunFault) -> Result
    ) throws(RunFault) -> Result {
        let spareFrame = spare.take()
        spareFrame?.takeTime()
        let frame = spareFrame ?? makeFrame()
        defer {
            frame.forgetValues()
            spare.keep(frame)
            withExtendedLifetime(self) {}
        }
        return try body(frame)
    }
}
