import Interfaces
import Manifest
import PluginHost
import Records

/// The reducer of a plugin, for one running loop. Used on the loop's executor only.
@safe
final class NativeReducer {
    // Safe because the reducer is used by one thread at a time.
    @safe @exclusivity(unchecked) private var call: PreparedReducer {
        didSet { unsafe borrowed = .passUnretained(call) }
    }
    // The same, without a counted reference for each use.
    // Safe because the reducer keeps it, and exchanges it only between steps.
    @safe @exclusivity(unchecked) private var borrowed: Unmanaged<PreparedReducer>
    private let reference: ReducerReference
    private let eventCount: Int
    private let ranges: [RangeModel]
    private let model: LoopModel
    /// Whether a new state must be checked.
    private let checks: Bool

    init(_ interface: ReducerInterface, _ reference: ReducerReference, of model: LoopModel) {
        (call, self.reference, self.model) = (PreparedReducer(interface), reference, model)
        ranges = model.ranges
        checks = !ranges.isEmpty || model.key != nil
        unsafe borrowed = .passUnretained(call)
        eventCount = interface.layout.events.count
    }

    /// Calls the reducer of another version of its plugin from now on.
    func use(_ interface: ReducerInterface) { call = PreparedReducer(interface) }

    /// Makes the next state; false when the reducer leaves the event to `on`.
    ///
    /// - Throws: `RunFault`; the state is then unchanged.
    @inline(__always)
    func reduce(_ state: inout Record, _ event: AppEvent) throws(RunFault) -> Bool {
        // Delayed transitions are unknown to the plugin.
        guard event.index < eventCount else { return false }
        guard checks else { return try step(&state, event) }
        var next = state
        guard try step(&next, event) else { return false }
        try check(next)
        guard model.key(of: next) == model.key(of: state) else { throw RunFault(keyChangedBy: reference) }
        state = next
        return true
    }

    @inline(__always)
    private func step(_ state: inout Record, _ event: AppEvent) throws(RunFault) -> Bool {
        unsafe try borrowed.borrow { call throws(RunFault) in
            do throws(PluginError) {
                return try call.reduce(&state, tag: event.index, payload: event.payload)
            } catch { throw RunFault(error, at: reference.span) }
        }
    }

    private func check(_ state: Record) throws(RunFault) {
        for range in ranges where range.stateCase == nil || range.stateCase == state.caseIndex {
            // Safe because the state is an initialised record in the case that has the field.
            let value = unsafe ValueMemory.load(state.unsafeBase + range.field.offset, as: range.field.type)
            guard range.contains(value) else { throw RunFault(value, outside: range, at: reference.span) }
        }
    }
}
