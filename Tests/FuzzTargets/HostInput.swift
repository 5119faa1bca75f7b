import HostLoop
import Isolation
import PluginHost

/// Takes bytes as what a host sends to its worker: for each message a byte for its kind, its size in two bytes, and so
/// many bytes.
enum HostInput {
    static func run(_ bytes: [UInt8]) {
        let services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { 0 }, log: { _ in }, output: { _ in true })
        let host: PlayedHost
        do {
            host = try PlayedHost(
                "libc.so.6",
                // They take any value, a null pointer included.
                declares: """
                    long labs(long n); long time(long *now); int mblen(const char *text, unsigned long n);
                    """, services: services)
        } catch { preconditionFailure("every system has libc: \(error)") }
        var rest = bytes[...]
        func number(_ count: Int) -> Int {
            (0..<count).reduce(0) { sum, _ in sum << 8 | Int(rest.popFirst() ?? 0) }
        }
        while let kind = rest.popFirst() {
            let size = number(2)
            let reason = host.send(UInt32(kind % 16), Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
            if let reason {
                precondition(!reason.isEmpty, "an end has a reason")
                break
            }
        }
    }

    /// Functions that are prepared and called, and messages about what the worker does not have.
    static var seeds: [[UInt8]] {
        func message(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { [kind, 0, UInt8(body.count)] + body }
        func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
        /// Prepares a function of plugin 1 as function 7.
        func prepare(_ name: String, _ arguments: [[UInt8]]) -> [UInt8] {
            message(2, [1, 1, 7] + text(name) + [0, 0, UInt8(arguments.count)] + arguments.joined())
        }
        let input: [UInt8] = [0]
        return [
            prepare("labs", [input]) + message(3, [9, 7, 0, 0, 5]),
            prepare("labs", [input]) + message(3, [9, 7, 0, 2, 5]) + message(4, [9])
                + message(3, [10, 7, 2, 2, 1, 5]),
            prepare("time", [[2, 1, 0]]) + message(3, [9, 7, 0, 0]),
            prepare("time", [[3, 2, 0]]) + message(3, [9, 7, 0, 0, 1, 3]),
            prepare("time", [[1]]) + message(3, [9, 7, 0, 0]),
            prepare("mblen", [input, input]) + message(3, [9, 7, 0, 0] + text("12") + [1]),
            prepare("missing", []) + message(3, [9, 8, 0, 0]),
            message(5, [1, 1, 1, 0]) + message(5, [1, 1, 1, 5]) + message(6, [3]) + message(8, [2]),
            message(1, [1, 2] + text("libz.so.1") + [0, 0]),
            message(
                1, [1, 2] + text("lib.so") + [1] + text("int f(void);") + [1] + text("/a") + text("b") + [0]),
            message(7, [1, 1] + text("free") + [UInt8](repeating: 0, count: 8)), message(0, []),
            message(15, []),
        ]
    }
}
