import HostLoop
import Records

extension LoopAssembly {
    /// Reduces by the native reducer, or by the manifest if that leaves the event to it.
    @inline(__always)
    func reduceByPlugin(
        _ state: inout Record, _ event: AppEvent, _ native: NativeReducer
    ) throws(RunFault) -> Bool {
        reducer.hasEntered = false
        // The index compares the states. Another reference makes the reducer write into a copy.
        var before = reducer.index == nil ? nil : state
        guard try native.reduce(&state, event) else {
            before = nil
            return try reducer.reduce(&state, event)
        }
        if before != nil { reducer.index!.select(event: event.index, from: before!, to: state) }
        return true
    }

    /// Makes the index of the feedbacks, which are in `parts`, and what the engine needs of it.
    func makeSelection() -> FeedbackSelection? {
        reducer.index = FeedbackIndex(model, parts, reducer.candidates)
        return reducer.index?.selection
    }
}
