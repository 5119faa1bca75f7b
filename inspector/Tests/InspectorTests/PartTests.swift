import NIOCore
import Testing

@testable import Inspector

/// The parts that decide, without a server.
@Suite struct PartTests {
    private func json(_ text: String) throws -> JSON { try JSONParser.value(of: Array(text.utf8)) }

    @Test func `JSON is read as it is written`() throws {
        let text = #"{"a":[1,-2.5e+3,true,false,null],"b":{"c":"\"\\\n\u0001ä😀"},"c":""}"#
        #expect(try json(text).line == text)
        #expect(try json(#" [ "\u00e4\ud83d\ude00\/" ] "#) == .list([.string("ä😀/")]))
        #expect(try json("12345678901234567890") == .number("12345678901234567890"))
    }

    @Test(arguments: [
        "", "{", "[1,]", #"{"a"}"#, #"{"a":1,}"#, "01", "1.", "-", "+1", "nul", "'a'", "\"a", "\"\u{1}\"",
        #""\x""#, #""\ud800""#, #""\ud800\u0041""#, #""\u12"#, "1 2", "[1] x",
        String(repeating: "[", count: 100_000),
    ])
    func `Text that is not JSON is refused`(text: String) {
        #expect(throws: JSONParser.Fault.self) { try json(text) }
    }

    @Test func `Bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONParser.Fault(offset: 2)) { try JSONParser.value(of: [0x22, 0xC0, 0xAF, 0x22]) }
    }

    @Test func `A token has 128 bits, and matches itself only`() {
        let token = Token()
        #expect(token.text.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(token.matches(token.text))
        #expect(!token.matches(Token().text) && !token.matches("") && !token.matches(token.text + token.text))
    }

    @Test func `An address that is exposed is one more name, and a name is not`() {
        let guarded = HostGuard(port: 8080, own: "10.0.0.7")
        #expect(guarded.refusal(hosts: ["10.0.0.7:8080"], origins: ["http://10.0.0.7:8080"]) == nil)
        for host in ["10.0.0.8:8080", "10.0.0.7", "host:8080"] {
            #expect(guarded.refusal(hosts: [host], origins: []) != nil, "\(host)")
        }
        #expect(HostGuard(port: 80, own: nil).refusal(hosts: ["localhost"], origins: []) == nil)
    }

    @Test func `Metrics are written as Prometheus reads them`() {
        var text = MetricText()
        text.add(.counter, "a_total", "First\nline \\ \"x\"", [("l", "q\"b\\s\nn")], "1")
        text.add(.gauge, "b", "B.", [], "NaN")
        text.add(.counter, "a_total", "Other.", [("l", "2")], "2")
        let isOther = text.add(.gauge, "a_total", "Wrong.", [], "3")
        #expect(!isOther)
        text.addHistogram(
            "h_seconds", "H.", [("x", "y")], buckets: [("0.5", "1"), ("1.0", "3")], sum: "2.5", count: "4")
        #expect(
            text.text == """
                # HELP a_total First\\nline \\\\ "x"
                # TYPE a_total counter
                a_total{l="q\\"b\\\\s\\nn"} 1
                a_total{l="2"} 2
                # HELP b B.
                # TYPE b gauge
                b NaN
                # HELP h_seconds H.
                # TYPE h_seconds histogram
                h_seconds_bucket{x="y",le="0.5"} 1
                h_seconds_bucket{x="y",le="1.0"} 3
                h_seconds_bucket{x="y",le="+Inf"} 4
                h_seconds_sum{x="y"} 2.5
                h_seconds_count{x="y"} 4

                """)
        #expect(text.series == 8)
    }

    @Test func `Buckets of the host become cumulative, and its last one has no bound`() throws {
        let histogram = PowerHistogram(try json(#"{"sum":1,"buckets":[1,0,2,4]}"#))
        #expect(histogram.buckets.map(\.bound) == ["1e-06", "2e-06", "4e-06"])
        #expect(histogram.buckets.map(\.count) == ["1", "1", "3"])
        #expect(histogram.count == 7)
    }

    @Test func `Metrics of plugins get the plugin's name, and wrong ones are left out`() throws {
        var text = MetricText()
        PluginMetrics(
            try json(
                #"""
                [{"plugin":"http","name":"http_pages_total","kind":"counter","help":"Pages.","labels":{"from":"a\"b","plugin":"own","1x":"no"},"value":3.0},
                 {"plugin":"other","name":"http_pages_total","kind":"gauge","help":"Not this.","labels":{},"value":1},
                 {"plugin":"http","name":"spinhost_steps_total","kind":"counter","help":"","labels":{},"value":1},
                 {"plugin":"http","name":"no name","kind":"counter","help":"","labels":{},"value":1},
                 {"plugin":"http","name":"load","kind":"gauge","help":"Load.","labels":{},"value":"-Infinity"},
                 {"plugin":"http","name":"page_seconds","kind":"histogram","help":"Time.","labels":{},"sum":2.75,"count":3,
                  "buckets":[{"le":0.5,"count":1},{"le":1.0,"count":2}]}]
                """#
            ).elements
        ).write(to: &text)
        #expect(
            text.text == """
                # HELP http_pages_total Pages.
                # TYPE http_pages_total counter
                http_pages_total{plugin="http",from="a\\"b"} 3.0
                # HELP load Load.
                # TYPE load gauge
                load{plugin="http"} -Inf
                # HELP page_seconds Time.
                # TYPE page_seconds histogram
                page_seconds_bucket{plugin="http",le="0.5"} 1
                page_seconds_bucket{plugin="http",le="1.0"} 2
                page_seconds_bucket{plugin="http",le="+Inf"} 3
                page_seconds_sum{plugin="http"} 2.75
                page_seconds_count{plugin="http"} 3

                """)
    }

    @Test func `The command line is read strictly`() throws {
        let parse = { (words: String) throws(InspectorError) in
            try InspectorOptions.parse(words.split(separator: " ").map(String.init))
        }
        var options = InspectorOptions(socket: "/a")
        #expect(try parse("--socket /a") == .options(options))
        options.port = 8080
        options.address = "0.0.0.0"
        options.write = true
        options.endsWithParent = true
        #expect(
            try parse("--socket=/a --port=8080 --address 0.0.0.0 --exposed --write --with-parent")
                == .options(options))
        #expect(try parse("--help") == .text(InspectorOptions.help))
        #expect(try parse("--version") == .text("0.1.0"))
        let wrong = [
            "": "`--socket PATH` is missing: name the control socket of the app",
            "--socket": "`--socket` needs a value",
            "--socket=": "`--socket` needs a value",
            "--socket /a --socket /b": "`--socket` is given twice",
            "--socket /a --write=yes": "`--write` takes no value",
            "--socket /a --port 65536": "`65536` is not a port: write a number from 0 to 65535",
            "--socket /a --port +1": "`+1` is not a port: write a number from 0 to 65535",
            "--socket /a --address localhost":
                "`localhost` is not an IP address; write one such as 127.0.0.1 or ::1",
            "--socket /a --address 0.0.0.0":
                "other machines can reach `0.0.0.0`: add `--exposed` if that is meant, or leave out `--address`",
            "--socket /a extra": "unknown argument `extra`; `spinhost-inspector --help` lists the options",
        ]
        for (words, message) in wrong {
            #expect(throws: InspectorError(code: 64, message: message), "\(words)") { try parse(words) }
        }
    }
}
