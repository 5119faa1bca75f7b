import Foundation
import TestSupport
import Testing

/// A reducer in Swift: a C file with the macro of the header lies beside it, and Swift sees the loop's structs.
@Suite(.timeLimit(.minutes(10))) struct SwiftReducerTests {
    @Test func `a reducer in Swift has the structs and constants of the loop's header`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            app.name = "sums"
            [plugins.sums]
            library = "build/sums.so"
            [loops.main]
            state   = { sum = 0, text = "" }
            events  = { add = { n = "int" }, named = { name = "string" } }
            reducer = "sums:reduce"
            until   = "state.text != ''"
            feedback.script = { effect = "sums:script" }
            """)
        try folder.write(
            "CMakeLists.txt",
            """
            cmake_minimum_required(VERSION 3.25)
            project(sums LANGUAGES C Swift)
            find_package(Spinhost REQUIRED)
            spinhost_add_plugin(sums SOURCES sums.swift reducer.c HEADER sums.h)
            """)
        try folder.write(
            "reducer.c",
            """
            #include "sums.h"

            SPIN_REDUCER(reduce, main_state, main_event, "Adds, and keeps the name.");
            """)
        try folder.write(
            "sums.swift",
            """
            import CPluginABI
            import SpinPlugin

            #plugin("sums", "1.0.0")

            @c(reduce)
            func reduce(
                _ step: UnsafeMutablePointer<spin_reduction>, _ state: UnsafeMutablePointer<main_state>,
                _ event: UnsafePointer<main_event>
            ) -> spin_status {
                switch event.pointee.tag {
                case MAIN_EVENT_ADD: state.pointee.sum += event.pointee.as.add.n
                case MAIN_EVENT_NAMED: state.pointee.text = event.pointee.as.named.name
                default: return SPIN_UNHANDLED
                }
                return SPIN_OK
            }

            /// Emits the events of the loop.
            @Effect func script(_ call: Call) {
                for n in 1...3 {
                    var event = main_event_add(n: Int64(n))
                    _ = main_emit_add(call.token, &event)
                }
                "grün".given { name in
                    var event = main_event_named(name: name)
                    _ = main_emit_named(call.token, &event)
                }
                call.finish()
            }
            """)
        let header = try Spinhost.run("header", "-o", "sums.h", in: folder)
        try #require(header.status == 0, "\(header.errors)")
        let package = Project.root.appendingPathComponent("build").path
        let built = try Shell.run(
            "bash",
            ["-c", "cmake -G Ninja -B build -DSpinhost_DIR=\"$0\" && cmake --build build", package],
            in: folder.root)
        try #require(built.status == 0, "\(built.output)\(built.errors)")
        let run = try Spinhost.run("--json", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let last = run.output.split(separator: "\n").last ?? ""
        #expect(last.contains(#""state":{"sum":6,"text":"grün"}"#), "\(run.output)")
    }
}
