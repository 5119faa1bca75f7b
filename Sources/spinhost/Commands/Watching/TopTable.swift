import Records

/// The numbers of a running app as a table of text.
struct TopTable {
    /// What loops and feedbacks are sorted by.
    enum Order: String, CaseIterable {
        case rate, total, name

        /// The next one.
        var next: Order {
            let all = Self.allCases
            return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
        }
    }

    /// The counters of the app at some time.
    struct Sample {
        let counters: [Value]
        let time: ContinuousClock.Instant
    }

    let app: String
    let process: Int64
    /// The counters before and now. Rates are the difference.
    let before: Sample, now: Sample
    let plugins: [Value]
    var order = Order.rate
    /// Only loops and feedbacks with faults.
    var onlyFaults = false

    // MARK: - For programs

    /// The table for programs. Rates are per second.
    var json: Value {
        var lines: [Value] = []
        for (index, line) in now.counters.enumerated() {
            guard case .map(let entries) = line,
                case .map(let rate) = Value.record([
                    ("stepsPerSecond", .double(rate(of: "steps", line, at: index)))
                ])
            else { continue }
            lines.append(.map(entries + rate))
        }
        return .record([
            ("app", .string(app)), ("pid", .int(process)), ("counters", .list(lines)),
            ("plugins", .list(plugins)),
        ])
    }

    // MARK: - For people

    /// The lines of the table for a screen. If not all fit, the last line says how many are cut.
    func lines(columns: Int, rows: Int) -> [String] {
        let help = "s sort (\(order.rawValue))  f \(onlyFaults ? "all" : "faults only")  q quit"
        let all = content
        let room = max(1, rows - 1)
        var shown = all
        var foot = help
        if all.count > room {
            shown = Array(all.prefix(room))
            foot = "\(CountText.count(all.count - room, "line")) below: make the window taller  \(help)"
        }
        return (shown + [String](repeating: "", count: max(0, room - shown.count)) + [foot])
            .map { Self.cut($0, to: columns) }
    }

    /// All lines of the table.
    var content: [String] {
        var lines = [head]
        if let journal { lines.append(journal) }
        let loops = self.loops
        lines += [
            "", "LOOP".padded(24) + Self.row(["STEPS/S", "STEPS", "QUEUE", "RUNS", "DROPS", "FAULTS"]),
        ]
        lines += loops.isEmpty ? ["no loop has faults"] : loops.map(\.text)
        let feedbacks = self.feedbacks
        if !feedbacks.isEmpty {
            lines += [
                "",
                "FEEDBACK".padded(24)
                    + Self.row(["CALLS/S", "CALLS", "NOW", "P50", "P99", "LONGEST", "FAILED"]),
            ]
            lines += feedbacks.map(\.text)
        }
        guard !plugins.isEmpty else { return lines }
        lines += ["", "PLUGIN".padded(24) + "VERSION".padded(16) + "STANDING".padded(14) + "ISOLATION"]
        return lines
            + plugins.map { plugin in
                TailLine.text(plugin["plugin"]).padded(24) + TailLine.text(plugin["version"]).padded(16)
                    + TailLine.text(plugin["standing"]).padded(14) + TailLine.text(plugin["isolation"])
            }
    }

    private var head: String {
        let total = now.counters.last ?? .null
        let rate = rate(of: "steps", total, at: now.counters.count - 1)
        return
            "\(app)  process \(process)  \(Self.rate(rate)) steps/s, \(CountText.count(Self.int(total["steps"]), "step")), \(CountText.count(Self.int(total["faults"]), "fault"))"
    }

    private var journal: String? {
        guard let journal = now.counters.last?["journal"] else { return nil }
        let (position, durable) = (Self.int(journal["position"]), Self.int(journal["durable"]))
        let broken = journal["broken"] == .bool(true) ? "  NOT WRITTEN ANY MORE" : ""
        return
            "journal \(TailLine.text(journal["file"]))  @\(CountText.grouped(position)), \(CountText.grouped(position - durable)) not durable, \(CountText.grouped(Self.int(journal["bytes"]) >> 10)) KiB, \(CountText.count(Self.int(journal["waits"]), "wait"))\(broken)"
    }

    private typealias Line = (name: String, rate: Double, total: Int, text: String)

    private var loops: [Line] {
        sorted(
            now.counters.enumerated().compactMap { index, line in
                guard case .string(let name)? = line["loop"] else { return nil }
                let faults = Self.int(line["faults"])
                guard !onlyFaults || faults > 0 else { return nil }
                let rate = rate(of: "steps", line, at: index)
                let numbers = ["steps", "queue", "running", "drops", "faults"].map {
                    CountText.grouped(Self.int(line[$0]))
                }
                return (
                    name, rate, Self.int(line["steps"]),
                    name.padded(24) + Self.row([Self.rate(rate)] + numbers)
                )
            })
    }

    private var feedbacks: [Line] {
        sorted(
            now.counters.enumerated().flatMap { index, line -> [Line] in
                guard case .string(let loop)? = line["loop"],
                    case .list(let all)? = line["watched"]?["feedbacks"]
                else { return [] }
                let earlier = Self.earlier(before, index)
                return all.enumerated().compactMap { place, feedback in
                    let failed = Self.int(feedback["failed"])
                    guard !onlyFaults || failed > 0 else { return nil }
                    let calls = Self.int(feedback["began"])
                    let old = earlier.indices.contains(place) ? Self.int(earlier[place]["began"]) : 0
                    let rate = Double(max(0, calls - old)) / seconds
                    let times = ["p50", "p99", "longest"].map { key -> String in
                        guard case .int(let time)? = feedback[key] else { return "–" }
                        return CountText.time(.nanoseconds(time))
                    }
                    let name = "\(loop) \(TailLine.text(feedback["feedback"]))"
                    let numbers = [
                        Self.rate(rate), CountText.grouped(calls),
                        CountText.grouped(Self.int(feedback["running"])),
                    ]
                    return (
                        name, rate, calls,
                        name.padded(24) + Self.row(numbers + times + [CountText.grouped(failed)])
                    )
                }
            })
    }

    private static func earlier(_ sample: Sample, _ index: Int) -> [Value] {
        guard sample.counters.indices.contains(index),
            case .list(let all)? = sample.counters[index]["watched"]?["feedbacks"]
        else { return [] }
        return all
    }

    private func sorted(_ lines: [Line]) -> [Line] {
        lines.enumerated().sorted { left, right in
            switch order {
            case .rate where left.element.rate != right.element.rate:
                left.element.rate > right.element.rate
            case .total where left.element.total != right.element.total:
                left.element.total > right.element.total
            case .name where left.element.name != right.element.name:
                left.element.name < right.element.name
            default: left.offset < right.offset
            }
        }.map(\.element)
    }

    private var seconds: Double { max(0.001, before.time.duration(to: now.time) / .seconds(1)) }

    private func rate(of key: String, _ line: Value, at index: Int) -> Double {
        guard before.counters.indices.contains(index), before.counters[index]["loop"] == line["loop"] else {
            return 0
        }
        return Double(max(0, Self.int(line[key]) - Self.int(before.counters[index][key]))) / seconds
    }

    private static func int(_ value: Value?) -> Int {
        if case .int(let number)? = value { Int(number) } else { 0 }
    }

    private static func rate(_ rate: Double) -> String {
        rate > 0 && rate < 10 ? "\((rate * 10).rounded() / 10)" : CountText.grouped(Int(rate.rounded()))
    }

    private static func row(_ cells: [String]) -> String {
        let width = cells.count > 6 ? 8 : 9
        return cells.map { String(repeating: " ", count: max(1, width - $0.count)) + $0 }.joined()
    }

    /// The text in so many columns, with a mark where it is cut.
    static func cut(_ text: String, to columns: Int) -> String {
        text.count <= columns ? text : text.prefix(max(0, columns - 1)) + "…"
    }
}

extension String {
    /// The text with spaces behind it, in at least so many columns, and one space at least.
    fileprivate func padded(_ columns: Int) -> String {
        count < columns
            ? self + String(repeating: " ", count: columns - count)
            : TopTable.cut(self, to: columns - 1) + " "
    }
}
