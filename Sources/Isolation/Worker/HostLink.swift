import CPluginABI
import HostLoop
import PluginHost
import Records

/// A worker's way to its host. May be used from any thread.
final class HostLink: Sendable {
    private let writer: MessageWriter
    private let answers: AnswerPlaces

    init(_ memory: SharedMemory) {
        writer = MessageWriter(memory, .toHost)
        answers = AnswerPlaces(memory)
    }

    /// Sends a message; false if it is too long.
    @discardableResult
    func send(_ kind: WorkerMessage, _ write: (ByteWriter) -> Void) -> Bool {
        writer.sendWaiting(kind.rawValue, lending: kind == .returned, write)
    }

    /// Sends a message, and waits for the host's answer; nil if the message is too long, or too many threads wait.
    func ask(_ kind: WorkerMessage, _ write: (ByteWriter) -> Void) -> AnswerPlaces.Answer? {
        answers.answer { place in
            writer.sendWaiting(kind.rawValue, lending: kind == .emitted) { body in
                write(body)
                body.put(fixed: place)
            }
        }
    }

    /// Answers a request.
    ///
    /// - Parameter write: does what is asked for, and writes what follows in the answer.
    func reply(_ request: UInt64, _ write: (ByteWriter) throws(PluginError) -> Void) {
        // It may call functions of plugins, which send messages.
        let rest = ByteWriter()
        var failure: PluginError?
        do throws(PluginError) { try write(rest) } catch { failure = error }
        if failure == nil {
            let isSent = send(.reply) { body in
                body.put(request)
                body.put(byte: 1)
                // Safe because the bytes are copied.
                unsafe rest.withBytes { unsafe body.put(raw: $0) }
            }
            guard !isSent else { return }
            failure = PluginError(
                .badResult,
                "an answer of \(rest.count) bytes is more than a worker can pass, which is \(MessageWriter.most)",
                help: ["keep large states in a file, or use `isolation = \"inline\"`"])
        }
        send(.reply) { body in
            body.put(request)
            body.put(byte: 0)
            failure?.write(to: body)
        }
    }
}
