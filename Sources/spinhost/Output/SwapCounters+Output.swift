import App
import PluginHost

extension SwapCounters {
    /// What became of libraries that were replaced or refused, in a line for people, with its end; empty when there are none:
    /// `replaced libraries: 2 unmapped, 1 kept (20 KiB), the last as it contains Swift`.
    var line: String {
        var versions: [String] = []
        for (count, word) in [(images.unmapped, "unmapped"), (images.inUse, "in use")] where count > 0 {
            versions.append("\(CountText.grouped(count)) \(word)")
        }
        if images.kept > 0 {
            let threads =
                images.keptWithThreads > 0
                ? ", \(CountText.grouped(images.keptWithThreads)) perhaps with threads" : ""
            let size = "\(CountText.grouped(images.keptBytes >> 10)) KiB"
            versions.append(
                "\(CountText.grouped(images.kept)) kept (\(size)\(threads)), the last as "
                    + (images.lastReason ?? ""))
        }
        return versions.isEmpty ? "" : "replaced libraries: \(versions.joined(separator: ", "))\n"
    }
}
