import App
import Control
import Manifest
import Records

// What would follow from other events, and what happened in another form.
extension ControlledApp {
    /// The states that the declared reducers make of events. Nothing is called, and the app does not notice.
    func branch(
        _ place: ControlQuery.Place, _ events: [ControlQuery.Event]
    ) throws(ControlFault) -> [(String, Value)] {
        let found = try withPast { try $0.states(at: place) }
        var states = manifest.loops.map(\.initialState)
        for (index, loop) in manifest.loops.enumerated() {
            guard let state = found.states.first(where: { $0.loop == loop.name })?.state else { continue }
            guard state.type == loop.stateType else {
                throw ControlFault(
                    .notReducible, "the state of loop `\(loop.name)` had other fields at \(place.text)",
                    help: ["name a place after the last change of the manifest"])
            }
            states[index] = state
        }
        var branch = Branch(manifest, from: states)
        var steps: [Value] = []
        for event in events {
            let (loop, index, payload) = try meaning(
                of: event.event, event.loop, .payload(event.payload))
            guard manifest.loops[loop].key == nil else {
                throw ControlFault(noPastOf: manifest.loops[loop].name)
            }
            guard branch.canReduce(loop: loop) else {
                throw ControlFault(
                    .notReducible,
                    "the reducer of loop `\(manifest.loops[loop].name)` is in a plugin, which is not called",
                    help: ["`fork` takes events of loops whose transitions the manifest declares"])
            }
            let step = branch.take(event: index, payload: payload, loop: loop, at: JournalTime.now)
            var fields: [(String, Value)] = [
                ("loop", .string(manifest.loops[loop].name)), ("event", .string(event.event)),
                ("changed", StepLine.changedFields(from: step.before, to: step.after)),
            ]
            if let problem = step.problem { fields.append(("problem", .string(problem))) }
            steps.append(.record(fields))
            states[loop] = step.after
        }
        let ends = zip(manifest.loops, states).filter { $0.0.key == nil }.map { loop, state in
            Value.record([("loop", .string(loop.name)), ("state", state.value)])
        }
        return [
            ("position", .int(Int64(clamping: found.position))), ("steps", .list(steps)),
            ("states", .list(ends)),
        ]
    }
}
