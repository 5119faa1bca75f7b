import ArgumentParser
import Diagnostics
import Journal
import Records

/// Why a field has its value: the step that set it, and the chain of causes back to an event from outside or to
/// the start.
struct JournalReason {
    /// A chain may be as long as the journal, so so many causes are shown.
    private static let mostCauses = 10

    private let field: JournalField
    private let loop: String
    private let value: Value?
    private let position: UInt64
    private let reader: JournalReader

    /// - Parameters:
    ///   - loop: the loop that the user names.
    ///   - point: where the field has the value.
    /// - Throws: an exit code when no loop, or several, have the field, after the reason was printed.
    init(
        _ field: JournalField, of loop: String?, at point: JournalReader.Point, in reader: JournalReader,
        _ file: String
    ) throws {
        let schema = point.state.epoch?.schema.loops ?? []
        let loops = schema.filter { loop == nil || $0.name == loop }
        let known = loops.filter { loop in
            point.state.past(of: loop.name).map { field.value(in: $0.state) != nil } ?? false
        }
        // A field of another case has no value now, and may still be asked for.
        let candidates =
            known.isEmpty
            ? loops.filter { loop in
                loop.state.cases.contains { $0.field(field.name) != nil }
                    && point.state.past(of: loop.name) != nil
            } : known
        guard let found = candidates.first, candidates.count == 1 else {
            throw Self.refuse(field, candidates, loops, loop, file)
        }
        (self.field, self.loop, self.reader) = (field, found.name, reader)
        value = point.state.past(of: found.name).flatMap { field.value(in: $0.state) }
        position = point.state.next - 1
    }

    private static func refuse(
        _ field: JournalField, _ candidates: [LoopSchema], _ loops: [LoopSchema], _ loop: String?,
        _ file: String
    ) -> ExitCode {
        if candidates.count > 1 {
            let names = candidates.map { "`\($0.name)`" }.joined(separator: ", ")
            ErrorOutput.line("error: several loops have `\(field.text)`: name one of \(names) with `--loop`")
            return ExitStatus.usage
        }
        if let loop, loops.isEmpty {
            ErrorOutput.line("error: `\(file)` has no loop `\(loop)`")
            return ExitStatus.no
        }
        let names = loops.flatMap { loop in
            loop.state.fields.map(\.name) + loop.state.cases.flatMap { $0.fields.map(\.name) }
        }
        let hint = Suggestion.closest(to: field.name, among: names).flatMap {
            $0 == field.name ? nil : "; did you mean `\($0)`?"
        }
        ErrorOutput.line("error: no state there has a field `\(field.text)`\(hint ?? "")")
        return ExitStatus.no
    }

    /// `` `left` is 15 since step 7 (@9): left_moved(to: 15) ← feedback:left run 7, begun by step 6 ← … ``
    func text() throws -> String {
        let shown = value.map { "`\(field.text)` is \(StepLine.shown($0))" } ?? "`\(field.text)` has no value"
        let changed = try reader.lastChange(in: loop, upTo: position) { field.value(in: $0) }
        guard let changed, var cause = try reader.cause(at: changed) else {
            return "\(shown) since before @\(try reader.start().state.next), where the journal begins"
        }
        let since: String
        switch cause.placed.entry {
        case .step(let step): since = "since step \(step.step) (@\(changed)): "
        case .started(_, let step) where step > 0:
            return "\(shown) since a process continued step \(step) (@\(changed))"
        default: since = "since the "
        }
        var parts = text(of: cause, isFirst: true)
        while let position = try reader.position(before: cause), let next = try reader.cause(at: position) {
            guard parts.count <= 2 * Self.mostCauses else {
                parts.append("…")
                break
            }
            parts += text(of: next, isFirst: false)
            cause = next
        }
        return "\(shown) \(since)\(parts.joined(separator: " ← "))"
    }

    /// The parts of an entry in the chain: the event, and where it came from.
    private func text(of cause: JournalCause, isFirst: Bool) -> [String] {
        let position = cause.placed.position
        var parts: [String] = []
        switch cause.placed.entry {
        case .step(let step):
            guard let schema = cause.state.epoch?.schema.loops[step.loop] else { return [] }
            let name = schema.events[step.event].name
            parts.append(isFirst ? name + StepLine.arguments(step.payload) : name)
        case .sent(_, _, let gear, let message, _):
            guard let schema = cause.state.epoch?.schema.gears[gear] else { return [] }
            parts.append("\(schema.name).\(schema.messages[message].name) of `\(cause.loop)`")
        case .started: return ["start of `\(cause.loop)` @\(position)"]
        default: return []
        }
        switch cause.origin {
        case .beginning: break
        case .outside: parts.append("external @\(position)")
        case .message(let gear, let position):
            parts.append(gear + (position.map { " @\($0)" } ?? ""))
        case .run(let feedback, let number, let step):
            let run = number.map { " run \($0)" } ?? ""
            parts.append("feedback:\(feedback)\(run)\(step.map { ", begun by step \($0)" } ?? "")")
        }
        return parts
    }
}
