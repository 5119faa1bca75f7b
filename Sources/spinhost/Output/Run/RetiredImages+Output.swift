import PluginHost

extension RetiredImages.Counts {
    /// A line for people about the libraries that were replaced or refused, with its line end; empty if there
    /// are none: `replaced libraries: 2 unmapped, 1 kept (20 KiB), the last as it contains Swift`.
    var line: String {
        var versions: [String] = []
        for (count, word) in [(unmapped, "unmapped"), (inUse, "in use")] where count > 0 {
            versions.append("\(CountText.grouped(count)) \(word)")
        }
        if kept > 0 {
            let threads =
                keptWithThreads > 0 ? ", \(CountText.grouped(keptWithThreads)) perhaps with threads" : ""
            versions.append(
                "\(CountText.grouped(kept)) kept (\(CountText.grouped(keptBytes >> 10)) KiB\(threads)), the last as "
                    + (lastReason ?? ""))
        }
        return versions.isEmpty ? "" : "replaced libraries: \(versions.joined(separator: ", "))\n"
    }
}
