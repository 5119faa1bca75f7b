/// Numbers in the text format.
enum MetricNumber {
    /// The number of a JSON value, which may be a text such as `NaN` or `-Infinity`; nil for anything else.
    static func text(_ value: JSON?) -> String? {
        switch value {
        case .number(let digits): digits
        case .string("NaN"): "NaN"
        case .string("Infinity"): "+Inf"
        case .string("-Infinity"): "-Inf"
        default: nil
        }
    }

    /// Nanoseconds as seconds.
    static func seconds(nanoseconds: Int64) -> String { "\(Double(nanoseconds) / 1e9)" }

    /// The upper bound of a bucket of the host, 2ⁿ µs, as seconds.
    static func bound(_ bucket: Int) -> String {
        bucket < 63 ? "\(Double(UInt64(1) << UInt64(bucket)) / 1e6)" : "+Inf"
    }
}
