import CForeignCall
import CPluginABI

/// Checks what a plugin registers a metric with.
// Safe because text is copied during the call. The plugin promises that pointers are NULL or valid, as the header
// requires; those of a guarded plugin are probed.
enum MetricText {
    /// The bounds of a histogram for seconds.
    private static let seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// Whether a metric of that kind may have the name.
    static func isName(_ name: String, of kind: PluginMetric.Kind) -> Bool {
        isWord(name) && name.hasSuffix("_total") == (kind == .counter)
            && !["_bucket", "_count", "_sum"].contains { name.hasSuffix($0) }
            && !["spinhost_", "process_"].contains { name.hasPrefix($0) }
    }

    /// Letters, digits and `_`, no digit first.
    private static func isWord(_ name: String) -> Bool {
        let isLetter: (UInt8) -> Bool = { byte in
            byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        guard let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
    }

    /// Whether a plugin's label may have the name.
    static func isLabel(_ name: String) -> Bool {
        isWord(name) && !name.hasPrefix("__") && !["plugin", "le"].contains(name)
    }

    /// The labels, by name; nil if they are not valid.
    static func labels(
        _ texts: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, isGuarded: Bool
    ) -> [PluginMetric.Label]? {
        guard count != 0 else { return [] }
        guard count > 0, count <= Int(SPIN_METRIC_LABELS_AT_MOST), let texts = unsafe texts,
            unsafe !isGuarded || foreign_is_readable(texts, 2 * count * MemoryLayout<Int>.size)
        else { return nil }
        var labels: [PluginMetric.Label] = []
        for index in 0..<count {
            guard
                let name = unsafe PluginArguments.text(
                    texts[2 * index], upTo: SPIN_METRIC_NAME_AT_MOST, isGuarded: isGuarded),
                let value = unsafe PluginArguments.text(
                    texts[2 * index + 1], upTo: SPIN_METRIC_LABEL_AT_MOST, isGuarded: isGuarded),
                isLabel(name),
                !labels.contains(where: { $0.name == name })
            else { return nil }
            labels.append(PluginMetric.Label(name: name, value: value))
        }
        return labels.sorted { $0.name < $1.name }
    }

    /// The bounds of a histogram; nil if they are not valid.
    static func bounds(_ bounds: UnsafePointer<Double>?, _ count: Int, isGuarded: Bool) -> [Double]? {
        guard let given = unsafe bounds else { return count == 0 ? seconds : nil }
        guard count > 0, count <= MetricCell.mostBounds,
            unsafe !isGuarded || foreign_is_readable(given, count * MemoryLayout<Double>.size)
        else { return nil }
        let bounds = unsafe Array(UnsafeBufferPointer(start: given, count: count))
        let isAscending = zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }
        return isAscending && bounds.allSatisfy(\.isFinite) ? bounds : nil
    }
}
