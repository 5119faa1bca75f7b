import Records

/// The report of a crash, as the process left it.
struct CrashReport {
    /// The report as JSON.
    let json: Value
    let app: String
    let manifest: String
    let text: String
    private let started: Int64
    private let crashed: Int64

    /// - Returns: nil if the text is no such report.
    init?(_ content: String) {
        guard let json = try? Value(json: content), case .string(let app)? = json["app"],
            case .string(let text)? = json["report"], case .int(let crashed)? = json["time"]
        else { return nil }
        (self.json, self.app, self.text, self.crashed) = (json, app, text, crashed)
        if case .string(let manifest)? = json["manifest"] { self.manifest = manifest } else { manifest = "" }
        if case .int(let started)? = json["started"] { self.started = started } else { started = crashed }
    }

    /// The report in the file at `path`; nil if the file is missing or has no report.
    init?(at path: String) {
        guard let bytes = FileContent.read(path, atMost: 1 << 20) else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// The first line of the text, without `fatal: `.
    var reason: String {
        let line = text.prefix { $0 != "\n" }
        return String(line.hasPrefix("fatal: ") ? line.dropFirst(7) : line)
    }

    /// When the app crashed: `2026-11-25 13:30:12`
    var time: String { Self.time(crashed) }

    /// The lines for people.
    var lines: String {
        var process = ""
        if case .int(let number)? = json["process"] { process = ", process \(number)" }
        var version = ""
        if case .string(let text)? = json["spinhost"] { version = ", spinhost \(text)" }
        return """
            app `\(app)` (\(manifest))\(version)\(process)
            started \(Self.time(started)), crashed \(time)

            \(text)
            """
    }

    private static func time(_ seconds: Int64) -> String {
        let (nanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? "\(seconds)" : JournalTime.dateAndTime(nanoseconds)
    }
}
