// The macros of `SpinPlugin`, as a program that the compiler runs. It speaks the compiler's protocol for such
// programs: each message is its size in 8 bytes, then JSON. So it needs no copy of the compiler's syntax
// library.
import FoundationEssentials
import Glibc

/// `count` bytes from the compiler; nil at the end.
func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
        let size = unsafe bytes.withUnsafeMutableBytes {
            unsafe Glibc.read(0, $0.baseAddress! + filled, count - filled)
        }
        guard size > 0 else { return nil }
        filled += size
    }
    return bytes
}

func write(_ bytes: [UInt8]) {
    var written = 0
    while written < bytes.count {
        let size = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(1, $0.baseAddress! + written, bytes.count - written)
        }
        guard size > 0 else { exit(1) }
        written += size
    }
}

while let head = read(8), let body = read(head.reversed().reduce(0) { $0 << 8 | Int($1) }) {
    guard let request = try? JSONDecoder().decode(Request.self, from: Data(body)),
        let answer = try? JSONEncoder().encode(request.answer)
    else { exit(1) }
    write((0..<8).map { UInt8(truncatingIfNeeded: answer.count >> ($0 * 8)) } + answer)
}
