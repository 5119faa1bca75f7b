import Interfaces
import Records

/// The emissions of a plugin by their numbers: its emitters, and the events of the loops that it was compiled with.
/// Host and worker make the same one from the notes.
struct EmissionTable: Sendable {
    struct Emission: Sendable {
        let name: String
        let coder: RecordCoder
    }

    let all: [Emission]
    let numbers: [String: Int]

    init(_ description: PluginDescription?) {
        var all: [Emission] = []
        for emitter in description?.emitters ?? [] {
            all.append(Emission(name: emitter.name, coder: RecordCoder(emitter.payload, keepsPointers: true)))
        }
        for layout in description?.loops ?? [] {
            for event in layout.events {
                all.append(
                    Emission(
                        name: layout.emissionName(event), coder: RecordCoder(event.type, keepsPointers: true))
                )
            }
        }
        self.all = all
        numbers = Dictionary(all.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }
}

/// How calls of a function are written: what host and worker make from the same signature.
struct CallCoders: Sendable {
    /// A callback: its values, and its result as the only field of a record; nil for one that returns nothing.
    struct Callback: Sendable {
        let value: RecordCoder
        let result: RecordCoder?
    }

    let inputs: RecordCoder
    let outcome: RecordCoder
    let callbacks: [Callback]

    init(_ signature: CallSignature) {
        inputs = RecordCoder(signature.inputs, keepsPointers: true)
        outcome = RecordCoder(signature.outcome, keepsPointers: true)
        callbacks = signature.callbacks.map { callback in
            Callback(
                value: RecordCoder(callback.signature.value, keepsPointers: true),
                result: callback.signature.result.map {
                    RecordCoder(RecordType([("result", $0)]), keepsPointers: true)
                })
        }
    }
}
