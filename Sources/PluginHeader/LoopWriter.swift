import Interfaces
import Manifest
import Records

/// Writes the part of a header that belongs to one loop.
struct LoopWriter {
    private let layout: LoopLayout
    private let docs: FieldDocs
    private let header: HeaderWriter

    init(_ layout: LoopLayout, docs: FieldDocs, into header: HeaderWriter) {
        (self.layout, self.docs, self.header) = (layout, docs, header)
    }

    func write() {
        header.beginPart("Loop `\(layout.loop)`")
        state()
        var payloads: [String?] = []
        for event in layout.events {
            guard !event.type.fields.isEmpty else {
                payloads.append(nil)
                continue
            }
            let path = layout.payloadName(event)
            let name = header.names.name(path)
            header.structure(
                name, event.type, path: path, docs: docs(event.type, "events.\(event.name)"))
            payloads.append(name)
        }
        anyEvent(payloads)
        note(payloads)
        emitters(payloads)
    }

    /// The documentation of a record's fields, by their names.
    private func docs(_ type: RecordType, _ path: String) -> [String: String] {
        var found: [String: String] = [:]
        for field in type.fields { found[field.name] = docs["loops.\(layout.loop).\(path).\(field.name)"] }
        return found
    }

    // MARK: State

    private func state() {
        let (path, type) = (layout.stateName, layout.state)
        guard !type.cases.isEmpty else {
            header.structure(header.names.name(path), type, path: path, docs: docs(type, "state"))
            return
        }
        let tags = type.cases.enumerated().map { header.constant("\(path)_\($1.name)", $0) }
        header.text += "\n"
        var members: [(type: String, name: String)] = []
        for stateCase in type.cases where !stateCase.fields.isEmpty {
            let (alone, path) = (stateCase.alone, "\(path)_\(stateCase.name)")
            let name = header.names.name(path)
            header.structure(name, alone, path: path, docs: docs(alone, "states.\(stateCase.name)"))
            members.append((name, stateCase.name))
        }
        let name = header.names.name(path)
        header.structure(
            name, fields: type.fields.dropFirst(), size: type.size, path: path, docs: docs(type, "shared"),
            variants: HeaderWriter.Variants(members: members, offset: type.union.lowerBound))
        for (tag, stateCase) in zip(tags, type.cases) {
            let function = header.names.name("\(layout.loop)_enter_\(stateCase.name)")
            header.text += """
                /* Changes the state to case `\(stateCase.name)` and sets the fields of the case to zero. */
                SPIN_INLINE void \(function)(\(name) *state) {
                    state->tag = \(tag);
                    __builtin_memset(&state->as, 0, sizeof state->as);
                }


                """
        }
    }

    // MARK: Events

    private func anyEvent(_ payloads: [String?]) {
        for (index, event) in layout.events.enumerated() { header.constant(layout.payloadName(event), index) }
        if !layout.events.isEmpty { header.text += "\n" }
        let members = zip(layout.events, payloads).compactMap { event, payload in
            payload.map { (type: $0, name: event.name) }
        }
        header.structure(
            header.names.name(layout.eventName), fields: [], size: layout.eventSize, path: layout.eventName,
            docs: [:],
            variants: HeaderWriter.Variants(
                members: members, offset: members.isEmpty ? nil : layout.payloadOffset))
    }

    /// The note by which the host checks the layout, and the emitters of the events.
    private func note(_ payloads: [String?]) {
        var lines = layout.noteTexts.enumerated().map { index, text in
            index % 2 == 1
                ? "          \"\\0\(text)\\0\"\n"
                : text.split(separator: "\n").map { "          \"\($0)\\n\"\n" }.joined()
        }.joined()
        if lines.isEmpty { lines = "          \"\"\n" }
        for (index, (event, payload)) in zip(layout.events, payloads).enumerated() {
            let size = payload.map { "sizeof(\($0))" } ?? "0"
            header.text += "SPIN_EVENT(\(symbol(index)), \"\(event.name)\", \(size));\n"
        }
        let events = layout.events.indices.map { "&\(symbol($0)), " }.joined()
        header.text += "SPIN_LOOP(\(layout.loop),\n\(lines.dropLast()),\n          \(events)NULL);\n"
    }

    /// The constant that describes the emitter of an event.
    private func symbol(_ index: Int) -> String { "spin_event_\(layout.loop)_\(index)" }

    private func emitters(_ payloads: [String?]) {
        for (index, event) in layout.events.enumerated() {
            let payload = payloads[index]
            let function = header.names.name("\(layout.loop)_emit_\(event.name)")
            header.text += "\n"
            let parameter = payload.map { ", const \($0) *event" } ?? ""
            header.text += """
                /* Emits `\(event.name)`; see spin_emit.
                 * [any] */
                SPIN_INLINE spin_status \(function)(spin_call *call\(parameter)) {
                    return spin_emit(call, &\(symbol(index)), \(payload == nil ? "NULL" : "event"));
                }

                """
        }
    }
}
