import HostLoop
import Interfaces
import Isolation
import PluginHost
import Records

/// Takes bytes as what a worker sends to its host: messages, or writes into the memory that both share.
///
/// A byte chooses. Below 0xF0: a message of that kind, its size in two bytes, then the message. With 0x40 added, long
/// values lie beside the message, whose first eight bytes are their size. Where the number of the call begins, 0xC5
/// stands for it. Else: an offset in two bytes, a size in one, then so many bytes.
enum WorkerInput {
    private final class Sink: CallSink {
        func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 {
            // All of it is read, as a feedback does.
            guard let type = (try? WorkerInput.description.get())?.emitter(emitter)?.payload else {
                preconditionFailure("an emitter is one of the plugin's")
            }
            // Safe because the payload is a record of that type.
            _ = unsafe ValueMemory.load(payload, as: .record(type)).json
            return 0
        }
        func rejected(emitter: String?, reason: String) {}
        func finished() {}
        func failed(code: Int32, text: String) { precondition(code < 0, "a failure has a negative code") }
    }

    private static let description = Result { () throws(InterfaceError) -> PluginDescription in
        try PluginDescription(notes: [
            PluginNote(.plugin, ["\(ABIVersion.host)", "played", "1"]),
            PluginNote(
                .emitter, ["heard", "void heard(const char *text, spin_bytes bytes, double number)", ""]),
            PluginNote(
                .emitter, ["listed", "void listed(spin_list_string names, spin_optional_string name)", ""]),
            PluginNote(.effect, ["begin", "void begin(spin_call *call)", "", ""]),
            PluginNote(.effect, ["text", "const char *text(void)", "", ""]),
            PluginNote(.effect, ["number", "int64_t number(void)", "", ""]),
        ])
    }

    static func run(_ bytes: [UInt8]) {
        let services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { 0 }, log: { _ in }, output: { _ in true })
        let worker: PlayedWorker
        do { worker = try PlayedWorker(description.get(), services: services, sink: Sink()) } catch {
            preconditionFailure("the played worker is right: \(error)")
        }
        var rest = bytes[...]
        func number(_ count: Int) -> Int {
            (0..<count).reduce(0) { sum, _ in sum << 8 | Int(rest.popFirst() ?? 0) }
        }
        while let choice = rest.popFirst() {
            if choice < 0xF0 {
                let size = number(2)
                var body = Array(rest.prefix(size))
                rest = rest.dropFirst(size)
                let place = choice & 0x40 == 0 ? 0 : 8
                if place < body.count, body[place] == 0xC5 {
                    let call = varint(worker.number(ofCall: Int(choice)))
                    body.replaceSubrange(place...place, with: call)
                    if place > 0 { body[0] &+= UInt8(call.count - 1) }
                }
                worker.send(UInt32(choice % 16) | (choice & 0x40 == 0 ? 0 : PlayedWorker.lentMark), body)
            } else {
                let (offset, size) = (number(2), number(1))
                worker.scribble(Array(rest.prefix(size)), at: offset)
                rest = rest.dropFirst(size)
            }
            if let reason = worker.killReason {
                precondition(!reason.isEmpty, "a kill has a reason")
                break
            }
        }
        worker.end()
    }

    /// A number as messages have it.
    private static func varint(_ number: UInt64) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), number)
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    /// One message of each kind that is right, one that is not, and wild writes.
    static var seeds: [[UInt8]] {
        func message(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { [kind, 0, UInt8(body.count)] + body }
        /// One with a text of 16 KiB beside it.
        func long(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
            let size = 8 + body.count + 1 << 14
            return [kind | 0x40, UInt8(size >> 8), UInt8(size & 0xFF), UInt8(body.count)]
                + [UInt8](repeating: 0, count: 7) + body + [UInt8](repeating: 0x61, count: 1 << 14)
        }
        let text: [UInt8] = [2, 0x68, 0x69]
        return [
            message(2, [0xC5, 0] + text + [0] + [UInt8](repeating: 0, count: 8) + [7, 0, 0, 0]),
            message(1, [0xC5, 1, 1] + text + [0]),
            message(2 + 16, [0xC5, 1, 2, 4, 6, 1] + text + [9, 0, 0, 0]),
            message(4, [0xC5]), message(5, [0xC5, 3] + text), message(6, [0xC5, 1, 5, 0, 0, 0]),
            message(3, [0xC5, 1] + text + text),
            message(10, [0] + [2, 0] + text + [0, 1] + text + [4] + text),
            // An answer, and an emission, whose text lies beside the message.
            long(1, [0xC5, 1] + varint(1 << 14) + [0]),
            long(2, [0xC5, 0] + varint(1 << 14) + [0] + [UInt8](repeating: 0, count: 8) + [7, 0, 0, 0]),
            message(11, text + [1, 0, 0, 0]), message(0, [0, 1, 0]), message(9, []), message(15, [1, 2, 3]),
            [0xF0, 0, 0, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F] + message(4, [0xC5]),
            [0xF1, 0, 64, 8, 9, 0, 0, 0, 0, 0, 0, 0] + message(4, [0xC5]),
        ]
    }
}
