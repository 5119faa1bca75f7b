import CPluginABI
@testable import PluginHost
import Records
import Testing

/// The metrics of plugins, `spin.metrics/1`.
@Suite struct MetricsTests {
    private static func source(id: String = "pump", version: String = "1.0") -> String {
        """
        #include <math.h>
        #include <pthread.h>
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        SPIN_PLUGIN("\(id)", "\(version)");
        static spin_metric counter, gauge, histogram;
        static const double bounds[] = {-1, 0.5, 2};
        static int64_t make(void) {
            counter = spin_counter("strokes_total", "Strokes.", "direction", "up", "pump", "größe");
            gauge = spin_gauge("pressure_bar", "Pressure.");
            histogram = spin_histogram(bounds, 3, "stroke_litres", "Water.");
            return counter && gauge && histogram;
        }
        SPIN_EFFECT(int64_t, make, (void), "");
        static int32_t add(double amount) { return spin_metric_add(counter, amount); }
        SPIN_EFFECT(int32_t, add, (double amount), "");
        static int32_t add_to_gauge(double amount) { return spin_metric_add(gauge, amount); }
        SPIN_EFFECT(int32_t, add_to_gauge, (double amount), "");
        static int32_t set(double value) { return spin_metric_set(gauge, value); }
        SPIN_EFFECT(int32_t, set, (double value), "");
        static int32_t observe(double value) { return spin_metric_observe(histogram, value); }
        SPIN_EFFECT(int32_t, observe, (double value), "");
        static void *add_often(void *context) {
            (void)context;
            for (int n = 0; n < 20000; n++)
                spin_metric_add(counter, 0.5), spin_metric_add(gauge, n % 2 ? 1 : -1), spin_metric_observe(histogram, 1);
            return NULL;
        }
        static int32_t add_in_threads(int32_t count) {
            pthread_t threads[8];
            for (int n = 0; n < count; n++)
                pthread_create(&threads[n], NULL, add_often, NULL);
            for (int n = 0; n < count; n++)
                pthread_join(threads[n], NULL);
            return 0;
        }
        SPIN_EFFECT(int32_t, add_in_threads, (int32_t count), "");
        static int32_t any_number(uint64_t metric, double value) {
            return spin_metric_add(metric, value) == SPIN_BAD_VALUE && spin_metric_set(metric, value) == SPIN_BAD_VALUE &&
                   spin_metric_observe(metric, value) == SPIN_BAD_VALUE;
        }
        SPIN_EFFECT(int32_t, any_number, (uint64_t metric, double value), "");
        static int32_t wrong_kinds(void) {
            return (spin_metric_set(counter, 1) == SPIN_BAD_VALUE) + (spin_metric_observe(counter, 1) == SPIN_BAD_VALUE) +
                   (spin_metric_observe(gauge, 1) == SPIN_BAD_VALUE) + (spin_metric_add(histogram, 1) == SPIN_BAD_VALUE) +
                   (spin_metric_set(histogram, 1) == SPIN_BAD_VALUE);
        }
        SPIN_EFFECT(int32_t, wrong_kinds, (void), "");
        static int32_t wrong_values(void) {
            return (spin_metric_add(counter, -1) == SPIN_BAD_VALUE) + (spin_metric_add(counter, NAN) == SPIN_BAD_VALUE) +
                   (spin_metric_add(counter, INFINITY) == SPIN_BAD_VALUE) + (spin_metric_add(gauge, NAN) == SPIN_BAD_VALUE) +
                   (spin_metric_observe(histogram, NAN) == SPIN_BAD_VALUE);
        }
        SPIN_EFFECT(int32_t, wrong_values, (void), "");

        """
    }

    private let host: TestHost

    init() throws { host = try TestHost() }

    private func open(id: String = "pump", version: String = "1.0", in host: TestHost? = nil) throws
        -> PluginImage
    {
        let path = try PluginFixture.path(
            source: Self.source(id: id, version: version), as: "\(id)\(version).c")
        return try (host ?? self.host).open(path: path)
    }

    /// `name{label=value …} value`, and `name count/sum [bound:count …]` for a histogram.
    private var readings: [String] {
        host.services.metrics.snapshot().map { metric in
            let labels = metric.labels.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            let name = "\(metric.name){\(labels)}"
            switch metric.reading {
            case .value(let value): return "\(name) \(value)"
            case .histogram(let sum, let count, let buckets):
                return "\(name) \(count)/\(sum) \(buckets.map { "\($0.bound):\($0.count)" })"
            }
        }
    }

    @Test func `metrics begin at zero and take what the plugin gives`() throws {
        let image = try open()
        #expect(try host.call(image, "make") == .int(1))
        #expect(
            readings == [
                "pressure_bar{} 0.0", #"stroke_litres{} 0/0.0 ["-1.0:0", "0.5:0", "2.0:0"]"#,
                "strokes_total{direction=up,pump=größe} 0.0",
            ])
        for amount in [1, 0, 2.5] { #expect(try host.call(image, "add", .double(amount)) == .int(0)) }
        #expect(try host.call(image, "set", .double(-3)) == .int(0))
        #expect(try host.call(image, "set", .double(.nan)) == .int(0))
        #expect(readings.first == "pressure_bar{} nan")
        #expect(try host.call(image, "set", .double(-3)) == .int(0))
        #expect(try host.call(image, "add_to_gauge", .double(-0.5)) == .int(0))
        for value in [-2, -1, 0, 0.5, 0.75, 2, 2.5, 1e300] {
            #expect(try host.call(image, "observe", .double(value)) == .int(0))
        }
        #expect(
            readings == [
                "pressure_bar{} -3.5", #"stroke_litres{} 8/1e+300 ["-1.0:2", "0.5:4", "2.0:6"]"#,
                "strokes_total{direction=up,pump=größe} 3.5",
            ])
        let metric = try #require(host.services.metrics.snapshot().last)
        #expect(metric.plugin == "pump" && metric.kind == .counter && metric.help == "Strokes.")
        #expect(host.log.all == [])
    }

    @Test func `changes of several threads add up`() throws {
        let image = try open()
        #expect(try host.call(image, "make") == .int(1))
        #expect(try host.call(image, "add_in_threads", .int(8)) == .int(0))
        #expect(
            readings == [
                "pressure_bar{} 0.0", #"stroke_litres{} 160000/160000.0 ["-1.0:0", "0.5:0", "2.0:160000"]"#,
                "strokes_total{direction=up,pump=größe} 80000.0",
            ])
    }

    @Test func `another version of a plugin continues its metrics`() throws {
        for (index, version) in ["1.0", "2.0"].enumerated() {
            let image = try open(version: version)
            #expect(try host.call(image, "make") == .int(1))
            #expect(try host.call(image, "add", .double(2)) == .int(0))
            #expect(readings.last == "strokes_total{direction=up,pump=größe} \(Double(2 * index + 2))")
            // The version before still has its numbers.
            #expect(try host.call(image, "add", .double(0)) == .int(0))
        }
        #expect(readings.count == 3)
    }

    @Test func `plugins of other ids and hosts have metrics of their own`() throws {
        let other = try TestHost()
        let images = [try open(), try open(id: "mill"), try open(in: other)]
        for (index, image) in images.enumerated() {
            #expect(try host.call(image, "make") == .int(1))
            #expect(try host.call(image, "add", .double(Double(index + 1))) == .int(0))
        }
        let counters = host.services.metrics.snapshot().filter { $0.kind == .counter }
        #expect(counters.map(\.plugin) == ["mill", "pump"])
        #expect(counters.map(\.reading) == [.value(2), .value(1)])
        #expect(other.services.metrics.snapshot().last?.reading == .value(3))
    }

    // MARK: Mistakes

    @Test func `a change that a metric does not have is refused and logged with its name`() throws {
        let image = try open()
        #expect(try host.call(image, "make") == .int(1))
        let before = readings
        #expect(try host.call(image, "wrong_kinds") == .int(5))
        #expect(try host.call(image, "wrong_values") == .int(5))
        #expect(readings == before)
        #expect(
            host.log.all.map(\.text) == [
                "metric `strokes_total`: \(PluginRule.wrongMetric.rawValue)",
                "metric `strokes_total`: \(PluginRule.badAmount.rawValue)",
            ])
    }

    @Test func `any number that is no metric is refused, and only 0 is not logged`() throws {
        let image = try open()
        #expect(try host.call(image, "any_number", .uint(0), .double(1)) == .int(1))
        #expect(host.log.all == [])
        #expect(try host.call(image, "make") == .int(1))
        var random = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let number = random.next() >> UInt64.random(in: 0..<64) | 1 << 62
            #expect(try host.call(image, "any_number", .uint(number), .double(1)) == .int(1))
        }
        #expect(try host.call(image, "any_number", .uint(.max), .double(1)) == .int(1))
        #expect(host.log.all.first?.text == PluginRule.unknownMetric.rawValue)
    }

    @Test func `a number ends with its host`() throws {
        func number() throws -> UInt64 {
            let metrics = PluginMetrics()
            let request = PluginMetrics.Request(
                plugin: "p", kind: .counter, name: "n_total", help: "", labels: [], bounds: [])
            let number = try metrics.register(request)
            #expect(MetricCell(number: number) != nil)
            return number
        }
        let numbers = try (0..<100).map { _ in try number() }
        #expect(numbers.allSatisfy { MetricCell(number: $0) == nil })
        #expect(Set(numbers).count == numbers.count)
    }

    @Test(
        arguments: [
            (#"spin_gauge(NULL, "")"#, PluginRule.badMetricName, nil),
            (#"spin_gauge("", "")"#, .badMetricName, ""),
            (#"spin_gauge("1st", "")"#, .badMetricName, "1st"),
            (#"spin_gauge("a b", "")"#, .badMetricName, "a b"),
            (#"spin_gauge("größe", "")"#, .badMetricName, "größe"),
            (#"spin_gauge("\xFF", "")"#, .badMetricName, nil),
            (#"spin_gauge("a_total", "")"#, .badMetricName, "a_total"),
            (#"spin_counter("a", "")"#, .badMetricName, "a"),
            (#"spin_gauge("a_sum", "")"#, .badMetricName, "a_sum"),
            (#"spin_gauge("a_count", "")"#, .badMetricName, "a_count"),
            (#"spin_gauge("a_bucket", "")"#, .badMetricName, "a_bucket"),
            (#"spin_gauge("spinhost_a", "")"#, .badMetricName, "spinhost_a"),
            (#"spin_gauge("process_a", "")"#, .badMetricName, "process_a"),
            (#"spin_gauge("a", NULL)"#, .badMetricName, "a"),
            (#"spin_gauge(long_text(129), "")"#, .badMetricName, nil),
            (#"spin_gauge("a", long_text(1025))"#, .badMetricName, "a"),
            (#"spin_gauge("a", "", "le", "x")"#, .badLabel, "a"),
            (#"spin_gauge("a", "", "plugin", "x")"#, .badLabel, "a"),
            (#"spin_gauge("a", "", "__x", "x")"#, .badLabel, "a"),
            (#"spin_gauge("a", "", "b", NULL)"#, .badLabel, "a"),
            (#"spin_gauge("a", "", "b", "x", "b", "y")"#, .badLabel, "a"),
            (#"spin_gauge("a", "", "b", long_text(257))"#, .badLabel, "a"),
            (
                #"spin_gauge("a", "", "b", "", "c", "", "d", "", "e", "", "f", "", "g", "", "h", "", "i", "", "j", "")"#,
                .badLabel, "a"
            ),
            (#"spin_histogram(NULL, 1, "a", "")"#, .badBounds, "a"),
            (#"spin_histogram(bounds, 0, "a", "")"#, .badBounds, "a"),
            (#"spin_histogram(bounds, 33, "a", "")"#, .badBounds, "a"),
            (#"spin_histogram(bounds, 3, "a", "")"#, .badBounds, "a"),
            (#"spin_histogram(bounds + 2, 2, "a", "")"#, .badBounds, "a"),
            (#"spin_counter("used", "")"#, .badMetricName, "used"),
            (#"spin_histogram(NULL, 0, "used", "")"#, .otherMetric, "used"),
            (#"spin_histogram(bounds, 1, "used_seconds", "")"#, .otherMetric, "used_seconds"),
        ] as [(String, PluginRule, String?)])
    func `what cannot be registered is logged with its name`(
        _ text: String, _ rule: PluginRule, _ name: String?
    ) throws {
        let source = """
            #include <math.h>
            #include <spinhost/plugin.h>
            #include <string.h>
            SPIN_PLUGIN("pump", "1.0");
            static const double bounds[33] = {1, 2, 2, INFINITY};
            static const char *long_text(int size) {
                static char text[2000];
                return memset(text, 'a', (size_t)size), text;
            }
            static int64_t make(void) {
                (void)long_text, (void)bounds;
                if (!spin_gauge("used", "") || !spin_histogram(NULL, 0, "used_seconds", ""))
                    return -1;
                return (int64_t)\(text);
            }
            SPIN_EFFECT(int64_t, make, (void), "");

            """
        let image = try host.open(path: try PluginFixture.path(source: source, as: "make\(text.hashValue).c"))
        #expect(try host.call(image, "make") == .int(0))
        let place = name.map { "metric `\($0)`: " } ?? ""
        #expect(host.log.all.map(\.text) == ["\(place)\(rule.rawValue)"])
        #expect(host.services.metrics.snapshot().map(\.name) == ["used", "used_seconds"])
    }

    @Test func `the order of labels does not matter, and the longest texts fit`() throws {
        let source = """
            #include <spinhost/plugin.h>
            #include <string.h>
            SPIN_PLUGIN("pump", "1.0");
            static int64_t make(void) {
                static char name[129], help[1025], value[257];
                memset(name, 'n', 128), memset(help, 'h', 1024), memset(value, 'v', 256);
                spin_metric one = spin_gauge(name, help, "b", value, "a", "");
                return one && one == spin_gauge(name, "other help", "a", "", "b", value) && one != spin_gauge(name, "", "a", "");
            }
            SPIN_EFFECT(int64_t, make, (void), "");

            """
        let image = try host.open(path: try PluginFixture.path(source: source, as: "orders.c"))
        #expect(try host.call(image, "make") == .int(1))
        let metrics = host.services.metrics.snapshot()
        #expect(metrics.count == 2)
        #expect(metrics.allSatisfy { $0.help == String(repeating: "h", count: 1024) })
        #expect(host.log.all == [])
    }

    @Test func `a plugin has so many metrics at most, and another one has room`() throws {
        let image = try host.open("misbehaves.c")
        #expect(try host.call(image, "many_metrics") == .int(0))
        #expect(host.services.metrics.snapshot().count == Int(SPIN_METRICS_AT_MOST))
        #expect(host.log.all.map(\.text) == ["metric `too_many`: \(PluginRule.tooManyMetrics.rawValue)"])
        #expect(try host.call(try open(), "make") == .int(1))
    }

    @Test func `wild pointers of a guarded plugin get no metric`() throws {
        let image = try host.open("misbehaves.c", isGuarded: true)
        #expect(try host.call(image, "wild_metrics") == .int(1))
        #expect(!image.isQuarantined)
        #expect(host.services.metrics.snapshot() == [])
    }
}
