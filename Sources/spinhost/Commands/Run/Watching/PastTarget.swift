import App
import Control
import Dispatch
import Manifest
import Records

/// A target that knows the past of an app.
protocol PastTarget: ControlTarget {
    /// Reads the past. It may take long, so it is not called on the server's thread.
    func withPast<Answer>(_ body: (any RunPast) throws -> Answer) throws(ControlFault) -> Answer

    /// The answer to a question, without `ok`. It may take long, too.
    func fields(of query: ControlQuery) throws(ControlFault) -> [(String, Value)]

    /// What takes long is done here, so that it delays only the client that asked.
    var waiting: DispatchQueue { get }
}

extension PastTarget {
    func answer(
        _ query: ControlQuery, answer: @escaping @Sendable (Result<Value, ControlFault>) -> Void
    ) {
        waiting.async { [self] in
            do throws(ControlFault) {
                answer(.success(.record([("ok", .bool(true))] + (try fields(of: query)))))
            } catch { answer(.failure(error)) }
        }
    }

    func past(_ query: ControlQuery.Steps) throws(ControlFault) -> [Value] {
        let filter = try StepFilter(query.filter)
        if query.loop != nil { _ = try loops(named: query.loop) }
        return try withPast { try $0.steps(query, filter).map(\.json) }
    }

    func states(at place: ControlQuery.Place) throws(ControlFault) -> [(String, Value)] {
        try withPast { past in
            let found = try past.states(at: place)
            return [
                ("position", .int(Int64(clamping: found.position))),
                ("states", .list(found.states.map(Self.json))),
            ]
        }
    }

    /// A state for programs.
    static func json(_ state: RunPast.State) -> Value {
        .record([
            ("loop", .string(state.loop)), ("step", .int(Int64(clamping: state.step))),
            ("state", state.state.value),
        ])
    }

    func differences(
        _ from: ControlQuery.Place, _ to: ControlQuery.Place
    ) throws(ControlFault) -> [(String, Value)] {
        try withPast { past in
            let (before, after) = (try past.states(at: from), try past.states(at: to))
            let loops = after.states.map { state -> Value in
                let old = before.states.first { $0.loop == state.loop }
                let changed = old.map { StepLine.changedFields(from: $0.state, to: state.state) }
                return .record([
                    ("loop", .string(state.loop)),
                    ("from", old.map { .int(Int64(clamping: $0.step)) } ?? .null),
                    ("to", .int(Int64(clamping: state.step))), ("changed", changed ?? state.state.value),
                ])
            }
            return [
                ("from", .int(Int64(clamping: before.position))),
                ("to", .int(Int64(clamping: after.position))),
                ("loops", .list(loops)),
            ]
        }
    }

    /// Steps of a loop as a test of the manifest, or as lines of a recording.
    func exported(
        _ form: ControlQuery.Form, _ name: String?, _ from: UInt64, _ to: UInt64
    ) throws(ControlFault) -> [(String, Value)] {
        let loops = try self.loops(named: name)
        guard loops.count == 1 else {
            throw ControlFault(.loopNeeded, "`export` takes the steps of one loop", help: ["name the loop"])
        }
        let loop = loopNames[loops[0]]
        let steps = try withPast { try $0.steps(from...to, of: loop) }
        guard let first = steps.first, let last = steps.last, steps.count == Int(to - from) + 1 else {
            throw ControlFault(
                .unknownPlace, "the host does not know all of the steps \(from) to \(to) of loop `\(loop)`",
                help: ["it keeps the last steps while a client watches; `--journal FILE` keeps all"])
        }
        switch form {
        case .jsonl:
            let initial = AppStep.initialJSON(loop: loop, step: first.number - 1, state: first.before)
            return [("lines", .list([initial] + steps.map(\.recorded)))]
        case .test:
            do throws(TOMLText.Failure) {
                let lines = try JournalTest.lines(
                    loop, from...to, given: first.before, steps.map { ($0.event, $0.payload) },
                    expect: last.after)
                return [("text", .string(lines.dropFirst().map { "\($0)\n" }.joined()))]
            } catch { throw ControlFault(.notReducible, error.reason) }
        }
    }
}
