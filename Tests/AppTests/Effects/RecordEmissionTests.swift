import App
import Testing

/// Structs that a plugin declares with `SPIN_RECORD`, between its effects and a loop.
@Suite(.timeLimit(.minutes(10))) struct RecordEmissionTests {
    private static let library = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0.0");
        SPIN_RECORD(point, (double, x), (double, y));
        SPIN_RECORD(track, (spin_string, name), (spin_list_point, points), (spin_optional_point, best));
        SPIN_EMITTER(measured, (spin_list_track, tracks), (spin_optional_double, length));
        SPIN_EMITTER(seen, (spin_list_point, points), (spin_optional_string, note));

        static void measure(spin_call *call, spin_list_point points, spin_optional_point best) {
            spin_string name = {"all", 3};
            track tracks[] = {{name, points, best}};
            spin_list_track list = {tracks, 1};
            spin_optional_double length = {points.count > 0, (double)points.count};
            spin_optional_string note = {best.has, {"best", 4}};
            measured(call, list, length);
            seen(call, points, note);
            spin_finish(call);
        }
        SPIN_EFFECT(void, measure, (spin_call *call, spin_list_point points, spin_optional_point best), "");

        static point middle(point a, point b) {
            point middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
            return middle;
        }
        SPIN_EFFECT(point, middle, (point a, point b), "");

        """

    private func run(_ feedback: String, compiler: String) async throws -> [String] {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state = { x = 0.5 }
            [loops.main.events]
            found = { x = "double", name = "string", y = "double", length = "double?" }
            seen  = { points = [{ x = "double", y = "double" }], note = "string?" }
            [loops.main.on]
            "*" = {}
            [loops.main.feedback.measure]
            \(feedback)
            """, library: Self.library, compiler: compiler)
        #expect(run.faults == [])
        #expect(end.counters.drops == 0)
        return run.steps.dropFirst().map { String($0.prefix { $0 != " " }) }
    }

    @Test(arguments: ["cc", "c++"])
    func `a manifest passes structs and reads those that come back`(compiler: String) async throws {
        let emitted = """
            effect = "lib:measure"
            emits.measured = { event = "found", x = "value.tracks[0].points[0].x", name = "value.tracks[0].name", y = "value.tracks[0].best == null ? -1.0 : value.tracks[0].best.y", length = "value.length" }
            """
        let present = try await run(
            emitted
                + "\nargs = [\"[{'x': state.x, 'y': 2.0}, {'x': 3.0, 'y': 4.0}]\", \"{'x': 5.0, 'y': 6.0}\"]",
            compiler: compiler)
        #expect(
            present == [
                #"found{"x":0.5,"name":"all","y":6.0,"length":2.0}"#,
                // By equal names.
                #"seen{"points":[{"x":0.5,"y":2.0},{"x":3.0,"y":4.0}],"note":"best"}"#,
            ])
        let absent = try await run(
            emitted + "\nargs = [\"[{'x': 1.0, 'y': 2.0}]\", \"null\"]", compiler: compiler)
        #expect(
            absent == [
                #"found{"x":1.0,"name":"all","y":-1.0,"length":1.0}"#,
                #"seen{"points":[{"x":1.0,"y":2.0}],"note":null}"#,
            ])
    }

    @Test func `a struct is a result`() async throws {
        let steps = try await run(
            """
            effect = "lib:middle"
            args   = ["{'x': state.x, 'y': 2.0}", "{'x': 3.5, 'y': 4.0}"]
            emit   = { event = "found", x = "result.x", y = "result.y", name = "''", length = "null" }
            """, compiler: "cc")
        #expect(steps == [#"found{"x":2.0,"name":"","y":3.0,"length":null}"#])
    }
}
