import App
import Records

extension AppStep {
    /// The step as a record for programs.
    var json: Value {
        let now = now.map { [("now", Value.timestamp($0))] } ?? []
        return .record(
            [
                ("loop", .string(loop)), ("step", .int(Int64(index))), ("event", .string(event)),
                ("payload", payload.value), ("state", after.value), ("origin", .string(origin)),
            ] + now)
    }

    /// Appends the same as a line of JSON.
    func appendJSON(to bytes: inout [UInt8]) {
        bytes.append(#"{"loop":"#)
        bytes.appendJSON(loop)
        bytes.append(#","step":"#)
        bytes.appendJSON(index)
        bytes.append(#","event":"#)
        bytes.appendJSON(event)
        bytes.append(#","payload":"#)
        bytes.appendJSON(payload)
        bytes.append(#","state":"#)
        bytes.appendJSON(after)
        bytes.append(#","origin":"#)
        bytes.appendJSON(origin)
        if let now {
            bytes.append(#","now":"#)
            bytes.appendJSON(.timestamp(now))
        }
        bytes.append("}")
    }

    /// The initial state of a loop, as a record of the same kind.
    static func initialJSON(loop: String, step: UInt64 = 0, state: Record) -> Value {
        .record([
            ("loop", .string(loop)), ("step", .int(Int64(step))), ("state", state.value),
            ("origin", .string("initial")),
        ])
    }
}
