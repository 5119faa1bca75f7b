import Records

/// Formats the lines that a watched app sends, for people.
struct TailLine {
    private let form: StepLine

    /// - Parameter color: whether to colour lines with ANSI escapes.
    init(color: Bool) { form = StepLine(color: color) }

    /// The line for people; nil for a line that says nothing to them.
    func text(_ line: Value) -> String? {
        if let step = line["step"] { return form.line(step) }
        if let unhandled = line["unhandled"] { return form.line(unhandled: unhandled) }
        if let run = line["run"] { return form.line(run: run) }
        if let message = line["message"] {
            return
                "gear  \(Self.text(message["gear"])).\(Self.text(message["message"]))\(StepLine.arguments(message["payload"] ?? .map([])))"
        }
        if let fault = line["fault"] {
            return form.alarm(
                "\(StepLine.place(fault))  fault \(Self.text(fault["code"])) in \(Self.text(fault["origin"])): \(Self.text(fault["message"]))"
            )
        }
        if let log = line["log"] {
            let text = "\(Self.text(log["level"])): \(Self.text(log["text"]))"
            return ["warning", "error", "critical"].contains(Self.text(log["level"]))
                ? form.alarm(text) : text
        }
        if case .int(let count)? = line["skipped"] {
            return "… \(CountText.grouped(Int(count))) left out"
        }
        if let swap = line["swap"] {
            let name = swap["plugin"] ?? swap["manifest"]
            let versions = [swap["from"], swap["to"]].compactMap { $0 }.map { Self.text($0) }
            return "`\(Self.text(name))` \(Self.text(swap["outcome"])) \(versions.joined(separator: " → "))"
        }
        if let outcome = line["restarted"] { return "ended: \(Self.text(outcome)); the app begins again" }
        return line["ended"].map { "ended: \(Self.text($0))" }
    }

    static func text(_ value: Value?) -> String { if case .string(let text)? = value { text } else { "" } }
}

extension StepLine {
    /// An event that no transition handles.
    fileprivate func line(unhandled event: Value) -> String {
        line(
            loop: Self.place(event), refused: TailLine.text(event["event"]),
            event["payload"] ?? .map([]), "not handled", TailLine.text(event["origin"]))
    }

    /// `door  feedback:again run 3  began by tick`, `… ended after 20 ms`
    fileprivate func line(run: Value) -> String {
        var text = TailLine.text(run["state"])
        if case .string(let cause)? = run["cause"] { text += " by \(cause)" }
        if case .string(let event)? = run["event"] { text += ": \(event)" }
        if case .int(let took)? = run["took"] { text += " after \(CountText.time(.nanoseconds(took)))" }
        var number = ""
        if case .int(let count)? = run["number"] { number = " run \(count)" }
        return aside(
            Self.place(run), "feedback:\(TailLine.text(run["feedback"]))\(number)", text)
    }
}
