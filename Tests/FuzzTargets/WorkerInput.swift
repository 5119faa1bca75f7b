import HostLoop
import Interfaces
import PluginHost
import Isolation

/// Takes bytes as what a worker sends to its host: messages, or writes into the memory that both share.
///
/// A byte chooses. Below 0xF0: a message of that kind (0x40: with long values beside it), its size in two bytes, then the message; the number of a call
/// stands for each 0xC5 at its beginning. Else: an offset in two bytes, a size in one, then so many bytes.
enum WorkerInput {
    private final class Sink: CallSink {
        func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 { 0 }
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
                if body.first == 0xC5 {
                    body.replaceSubrange(0..<1, with: varint(worker.number(ofCall: Int(choice))))
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
        let text: [UInt8] = [2, 0x68, 0x69]
        return [
            message(2, [0xC5, 0] + text + [0] + [UInt8](repeating: 0, count: 8) + [7, 0, 0, 0]),
            message(1, [0xC5, 1, 1] + text + [0]),
            message(2 + 16, [0xC5, 1, 2, 4, 6, 1] + text + [9, 0, 0, 0]),
            message(4, [0xC5]), message(5, [0xC5, 3] + text), message(6, [0xC5, 1, 5, 0, 0, 0]),
            message(3, [0xC5, 1] + text + text),
            message(10, [0] + [2, 0] + text + [0, 1] + text + [4] + text),
            message(11, text + [1, 0, 0, 0]), message(0, [0, 1, 0]), message(9, []), message(15, [1, 2, 3]),
            [0xF0, 0, 0, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F] + message(4, [0xC5]),
            [0xF1, 0, 64, 8, 9, 0, 0, 0, 0, 0, 0, 0] + message(4, [0xC5]),
        ]
    }
}
