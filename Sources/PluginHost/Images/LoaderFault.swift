/// The error for a library that the loader refuses. Known messages of glibc's loader become clearer ones.
struct LoaderFault {
    let error: PluginError

    /// - Parameters:
    ///   - text: the message of `dlerror`.
    ///   - staged: the path or name that was opened.
    ///   - library: the user's name for the library.
    init(_ text: String, staged: String, library: String) {
        var message = "`\(library)` cannot be loaded: \(Self.without("\(staged): ", text))"
        var (symbol, help) = ("", [String]())
        if let name = Self.word(after: "undefined symbol: ", in: text) {
            symbol = name
            message = "`\(library)` uses `\(name)`, which none of the libraries it needs defines"
            help = [
                "link it with the library that does, and with `-Wl,-z,defs` to get this error at build time"
            ]
        } else if let needed = Self.word(before: ": cannot open shared object file", in: text),
            needed != staged
        {
            symbol = needed
            message = "`\(library)` needs `\(needed)`, which was not found"
            help = ["put it beside `\(library)` or where the dynamic loader looks"]
        } else if text.contains("cannot open shared object file") {
            message = "there is no library `\(library)`"
            help = ["install it, or name its path"]
        } else if text.contains("static TLS block") {
            help = ["raise it: GLIBC_TUNABLES=glibc.rtld.optional_static_tls=8192"]
        } else if text.contains("failed to map segment") {
            help = ["set TMPDIR to a folder that is not mounted `noexec`"]
        }
        error = PluginError(.notLoaded, message, help: help, library: library, symbol: symbol)
    }

    private static func without(_ prefix: String, _ text: String) -> String {
        text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }

    private static func word(after mark: String, in text: String) -> String? {
        guard let range = text.firstRange(of: mark) else { return nil }
        return text[range.upperBound...].split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\t" }).first
            .map(String.init)
    }

    private static func word(before mark: String, in text: String) -> String? {
        text.firstRange(of: mark).map { String(text[..<$0.lowerBound]) }
    }
}
