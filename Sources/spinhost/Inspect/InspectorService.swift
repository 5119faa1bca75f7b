import ArgumentParser
import Dispatch
import Glibc
import HostLoop
import PluginHost

/// Keeps the inspector running beside the host, and starts it again when it crashes. Nothing of the host waits for it.
/// May be used from any thread.
final class InspectorService: Sendable {
    private struct State {
        /// The control socket of the app; nil before there is an app.
        var socket: String?
        /// The connection to the standard input of the running program, which waits for its end.
        var input: Int32?
        var isRunning = false
        var isStopped = false
    }

    /// The pauses between an end and the next start: each is twice the one before, up to the last.
    struct Pauses: Sendable {
        var first = Duration.milliseconds(500)
        var last = Duration.seconds(30)
    }

    private let program: String
    private let address: InspectorAddress
    private let pauses: Pauses
    private let print: @Sendable (String) -> Void
    private let gaveUp: @Sendable (ExitCode) -> Void
    private let state = Lock(State())
    private let queue = DispatchQueue(label: "spinhost.inspector")
    private let changed = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - program: the path of `spinhost-inspector`.
    ///   - gaveUp: called with the reason when the program is not started again, on a thread of the service.
    ///   - print: called with lines for the user, on a thread of the service.
    init(
        _ program: String, _ address: InspectorAddress, pauses: Pauses = Pauses(),
        gaveUp: @escaping @Sendable (ExitCode) -> Void = { _ in }, print: @escaping @Sendable (String) -> Void
    ) {
        (self.program, self.address, self.pauses) = (program, address, pauses)
        (self.gaveUp, self.print) = (gaveUp, print)
    }

    /// Inspects the app at this socket from now on. It does nothing if that app is inspected already.
    func inspect(_ socket: String) {
        let isNew = state.withLock { state in
            guard !state.isStopped, state.socket != socket else { return false }
            state.socket = socket
            Self.endProgram(&state)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        changed.signal()
        if isNew { queue.async { [self] in supervise() } }
    }

    /// Ends the program and does not start it again. It does not wait.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            Self.endProgram(&state)
        }
        changed.signal()
    }

    /// The program ends when its standard input does.
    private static func endProgram(_ state: inout State) {
        if let input = state.input { close(input) }
        state.input = nil
    }

    private func supervise() {
        var pause = pauses.first
        while let socket = state.withLock({ $0.isStopped ? nil : $0.socket }) {
            let begin = ContinuousClock.now
            guard let end = run(socket) else {
                print("the inspector cannot be started")
                return gaveUp(ExitStatus.unavailable)
            }
            let isWanted = state.withLock { state in
                Self.endProgram(&state)
                return !state.isStopped && state.socket == socket
            }
            guard isWanted else { continue }
            if case .refused(let code) = end {
                print("the inspector is not started again")
                return gaveUp(code)
            }
            if ContinuousClock.now - begin > pauses.last { pause = pauses.first }
            let milliseconds = Int(pause / .milliseconds(1))
            print("the inspector ended (\(end.text)); it starts again in \(milliseconds) ms")
            let deadline = DispatchTime.now() + .milliseconds(milliseconds)
            while changed.wait(timeout: deadline) == .success {
                guard state.withLock({ !$0.isStopped && $0.socket == socket }) else { break }
            }
            pause = min(pause * 2, pauses.last)
        }
    }

    /// How the program ended.
    private enum End {
        /// It does not start with these arguments.
        case refused(ExitCode)
        case other(String)

        init(_ status: Int32?) {
            guard let status else {
                self = .other("the system does not say how")
                return
            }
            let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
            let isRefused =
                signal == 0 && [ExitStatus.usage.rawValue, ExitStatus.unavailable.rawValue].contains(code)
            self =
                isRefused
                ? .refused(ExitCode(code))
                : .other(signal == 0 ? "exit code \(code)" : SignalName.name(signal))
        }

        var text: String { if case .other(let text) = self { text } else { "" } }
    }

    /// Runs the program to its end and prints its lines; nil if no process can be started.
    private func run(_ socket: String) -> End? {
        guard let input = Connection(), let output = Connection() else { return nil }
        let words = [program] + address.arguments(socket: socket) + ["--with-parent"]
        let line = "exec \(words.map(ShellWord.quoted).joined(separator: " "))"
        let descriptors = (input.reading, output.writing, STDERR_FILENO)
        let process = ShellProcess(line, descriptors: descriptors, inGroup: true)
        close(input.reading)
        close(output.writing)
        defer { close(output.reading) }
        state.withLock { state in
            state.input = input.writing
            if process == nil || state.isStopped || state.socket != socket { Self.endProgram(&state) }
        }
        guard let process else { return nil }
        var reader = LineReader(output.reading)
        while let line = reader.next() { print(line) }
        return End(process.wait())
    }

    /// Two connected descriptors, which other programs do not inherit.
    private struct Connection {
        let reading: Int32
        let writing: Int32

        init?() {
            var ends: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            // Safe because the array has the two elements that are written.
            guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
            (reading, writing) = (ends[0], ends[1])
        }
    }

    /// Reads lines of at most 4 KiB.
    private struct LineReader {
        private let descriptor: Int32
        private var bytes: [UInt8] = []

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        /// Waits for a line; nil at the end.
        mutating func next() -> String? {
            while true {
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { bytes.removeFirst(end + 1) }
                    return String(decoding: bytes[..<end], as: UTF8.self)
                }
                if bytes.count > 4096 { bytes = [] }
                var buffer = [UInt8](repeating: 0, count: 1024)
                // Safe because the call gets the length of the buffer.
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return nil }
                bytes += buffer[..<count]
            }
        }
    }
}
