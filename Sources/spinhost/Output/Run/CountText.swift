/// Formats numbers for people.
enum CountText {
    /// `1,204,331`
    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number.magnitude))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        groups.insert(String(digits), at: 0)
        return (number < 0 ? "-" : "") + groups.joined(separator: ",")
    }

    /// `1 step`, `1,204 steps`
    static func count(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `640 µs`, `3.2 ms`, `1.25 s`, `3 min 20 s`
    static func time(_ duration: Duration) -> String {
        let nanoseconds =
            Double(duration.components.seconds) * 1e9 + Double(duration.components.attoseconds) / 1e9
        switch nanoseconds {
        case ..<1e3: return "\(Int(nanoseconds)) ns"
        case ..<1e6: return "\(Int(nanoseconds / 1e3)) µs"
        case ..<1e9: return "\(rounded(nanoseconds / 1e6, 10)) ms"
        case ..<60e9: return "\(rounded(nanoseconds / 1e9, 100)) s"
        default:
            let seconds = Int(nanoseconds / 1e9)
            return "\(grouped(seconds / 60)) min \(seconds % 60) s"
        }
    }

    private static func rounded(_ number: Double, _ scale: Double) -> Double {
        (number * scale).rounded() / scale
    }
}
