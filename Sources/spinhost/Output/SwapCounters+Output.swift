import App
import PluginHost

extension SwapCounters {
    /// The counters in a line for people, with its end; empty when nothing was to be swapped:
    /// `3 swaps, 1 refused; replaced libraries: 2 unmapped, 1 kept (20 KiB), the last as it contains Swift`.
    var line: String {
        guard swapped + refused + failed > 0 else { return "" }
        var line = CountText.count(swapped, "swap")
        for (count, word) in [(refused, "refused"), (failed, "failed")] where count > 0 {
            line += ", \(CountText.grouped(count)) \(word)"
        }
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
        return line
            + (versions.isEmpty ? "" : "; replaced libraries: \(versions.joined(separator: ", "))") + "\n"
    }
}
