/// The bytes by which the memory of this process has grown at its peak, since this value was made.
///
/// The kernel's mark of the highest resident size, `VmHWM`, only grows. So the process must begin with the
/// measured work: memory that the allocator kept from earlier work would hide new requests.
struct PeakMemory {
    private let before: Double

    init() throws {
        before = try Self.highest()
    }

    func growth() throws -> Double {
        try Self.highest() - before
    }

    private static func highest() throws -> Double {
        let name = "VmHWM:"
        for line in try BenchFile.text(of: "/proc/self/status").split(separator: "\n")
        where line.hasPrefix(name) {
            let words = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace)
            if let kilobytes = words.first.flatMap({ Double($0) }) { return kilobytes * 1024 }
        }
        throw BenchFault("/proc/self/status has no VmHWM")
    }
}
