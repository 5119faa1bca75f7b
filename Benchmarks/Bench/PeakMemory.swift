/// By how many bytes the memory that this process has in use has grown at its peak, since this value was made.
///
/// The kernel's mark of the highest resident size, `VmHWM`, goes only up. So this is for a process that begins with what
/// is to be measured: memory that the allocator kept from before would hide what is asked for now.
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
        throw BenchFault("/proc/self/status does not tell VmHWM")
    }
}
