import Glibc

/// What the system knows of the host's process, under the names that Prometheus' clients use.
struct ProcessMetrics: Sendable {
    private let values: [(kind: MetricText.Kind, name: String, help: String, value: String)]

    /// - Parameter process: the number of the process. A process that has ended has no metrics.
    init(of process: Int64) { self.init(folder: "/proc/\(process)", boot: Self.text(of: "/proc/stat")) }

    /// - Parameters:
    ///   - folder: the folder of the process.
    ///   - boot: the content of `/proc/stat`.
    init(folder: String, boot: String) {
        // Spaces may be in the name of the program, which ends at the last bracket.
        let stat = Self.text(of: "\(folder)/stat")
        guard let end = stat.lastIndex(of: ")") else {
            values = []
            return
        }
        let fields = stat[end...].split(separator: " ").dropFirst().map(String.init)
        // The fields begin with the third one of proc(5).
        func field(_ number: Int) -> Double {
            number - 3 < fields.count ? Double(fields[number - 3]) ?? 0 : 0
        }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        let page = Double(sysconf(Int32(_SC_PAGESIZE)))
        var values: [(MetricText.Kind, String, String, String)] = [
            (
                .counter, "cpu_seconds_total", "Processor time of the host.",
                "\((field(14) + field(15)) / ticks)"
            ),
            (.gauge, "virtual_memory_bytes", "Virtual memory of the host.", "\(field(23))"),
            (.gauge, "resident_memory_bytes", "Resident memory of the host.", "\(field(24) * page)"),
            (.gauge, "threads", "Threads of the host.", "\(Int(field(20)))"),
        ]
        let booted = boot.split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
        if let booted = booted.flatMap({ Double($0) }) {
            values.append(
                (
                    .gauge, "start_time_seconds", "When the host started, since 1970.",
                    "\(booted + field(22) / ticks)"
                ))
        }
        if let open = Self.entries(of: "\(folder)/fd") {
            values.append((.gauge, "open_fds", "Open descriptors of the host.", "\(open)"))
        }
        let limit = Self.text(of: "\(folder)/limits").split(separator: "\n")
            .first { $0.hasPrefix("Max open files") }?.split(separator: " ").dropFirst(3).first
        if let limit, Int(limit) != nil {
            values.append((.gauge, "max_fds", "The most descriptors that the host may open.", "\(limit)"))
        }
        self.values = values.map { ($0.0, "process_\($0.1)", $0.2, $0.3) }
    }

    func write(to text: inout MetricText) {
        for value in values { text.add(value.kind, value.name, value.help, [], value.value) }
    }

    /// The content of a file; empty if it cannot be read.
    private static func text(of path: String) -> String {
        // Safe because the path is a NUL-terminated copy for the call.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while content.count < 1 << 20 {
            // Safe because the call gets the length of the buffer.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            content += buffer[..<count]
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// The number of entries of a folder; nil if it cannot be read.
    private static func entries(of path: String) -> Int? {
        // Safe because the path is a NUL-terminated copy for the call.
        guard let directory = unsafe opendir(path) else { return nil }
        // Safe because it is closed once, after its last use.
        defer { unsafe _ = closedir(directory) }
        var count = 0
        // Safe because the entry is not used.
        while unsafe readdir(directory) != nil { count += 1 }
        // Two entries are the folder itself and the one above it.
        return max(0, count - 2)
    }
}
