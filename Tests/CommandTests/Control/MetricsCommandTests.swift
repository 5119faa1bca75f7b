import Foundation
import TestSupport
import Testing

/// `spinhost state --metrics`, with a host that listens.
@Suite(.timeLimit(.minutes(10))) struct MetricsCommandTests {
    private static let manifest = """
        app.name = "door"
        config   = { code = { env = "DOOR_CODE" } }

        [plugins.pump]
        library = "./lib.so"

        [loops.main]
        state  = { litres = 0.0 }
        events = { asked = { litres = "double" }, pumped = { litres = "double" } }
        on.pumped = { set = { litres = "event.litres" } }

        [loops.main.feedback.pump]
        effect  = "pump:stroke"
        on      = "asked"
        args    = ["event.litres", "config.code"]
        emit    = { event = "pumped", litres = "result" }

        """

    /// Compiles a version of the plugin, which counts in `strokes_total`.
    private func compile(_ version: Int, in folder: TemporaryFolder) throws {
        let source = """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("pump", "\(version).0");
            static double stroke(double litres, const char *code) {
                static const double bounds[] = {1, 2.5};
                spin_metric_add(spin_counter("strokes_total", "Strokes.", "code", code), \(version));
                spin_metric_set(spin_gauge("pressure_bar", "Pressure."), litres);
                spin_metric_observe(spin_histogram(bounds, 2, "stroke_litres", ""), litres);
                return litres + \(version);
            }
            SPIN_EFFECT(double, stroke, (double litres, const char *code), "");

            """
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler().sharedObject(source, in: folder, as: "new.so", flags: ["-I\(include)"])
        _ = try? FileManager.default.removeItem(at: folder.url("lib.so"))
        try FileManager.default.moveItem(at: folder.url("new.so"), to: folder.url("lib.so"))
    }

    private func stroke(_ host: ControlledHost, _ litres: String) throws {
        #expect(try host.spinhost("send", "asked", "litres=\(litres)").output == "queued\n")
        _ = host.program.nextLine(with: #""event":"pumped""#)
    }

    @Test func metricsOfThePlugin_areShown_andContinueAfterASwap() throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        try compile(1, in: folder)
        let host = try ControlledHost(in: folder, ["--json"], environment: ["DOOR_CODE": "open sesame"])
        #expect(host.program.nextLine().contains(#""step":0"#))
        let before = try host.spinhost("state", "--metrics")
        #expect(before.output == "" && before.errors == "" && before.status == 0)
        try stroke(host, "2.5")
        try compile(10, in: folder)
        #expect(try host.spinhost("swap", "pump").output == "swapped 1.0 → 10.0\n")
        try stroke(host, "0.25")
        #expect(
            try host.spinhost("state", "--metrics").output == """
                {"plugin":"pump","name":"pressure_bar","kind":"gauge","help":"Pressure.","labels":{},"value":0.25}
                {"plugin":"pump","name":"stroke_litres","kind":"histogram","help":"","labels":{},"sum":2.75,"count":2,"buckets":[{"le":1.0,"count":1},{"le":2.5,"count":2}]}
                {"plugin":"pump","name":"strokes_total","kind":"counter","help":"Strokes.","labels":{"code":"<secret>"},"value":11.0}

                """)
        let usage = try host.spinhost("state", "--metrics", "--watch")
        #expect(usage.status == 64 && usage.errors.contains("leave out `--watch` and `--loop`"))
        #expect(host.end().status == 0)
    }
}
