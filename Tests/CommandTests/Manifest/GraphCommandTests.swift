import Foundation
import Testing
import TestSupport

struct GraphCommandTests {
    private static let traps = ##"""
        app.name = "traps"
        [loops.a]
        state  = { text = "", n = 0 }
        events = { said = { text = "string" }, ticked = {}, gone = {} }
        until  = "state.text == '<\"end\">' || state.n > 3"
        [loops.a.on]
        said = { set = { text = "event.text" } }
        ticked = { ignore = true }
        [loops.a.feedback]
        clock = { effect = "std:every", args = ["1s"], emit = { event = "ticked" } }
        show  = { effect = "std:print", args = ["state.text"], when = "state.text != r'|]\\#;{}'" }
        off   = { on = ["said", "ticked"], effect = "std:print", args = ["'x'"], disabled = true }
        [loops."b"]
        events = { go = {} }
        feedback.each = { effect = "std:print", args = ["'x'"], trigger = "state", emit = { event = "go", if = "result < 0" } }

        """##

    @Test func picture_ofTheLevels() throws {
        let outcome = try Spinhost.run("graph", "--manifest", Spinhost.example("levels"))
        #expect(outcome.status == 0)
        #expect(
            outcome.output
                == """
                flowchart LR
                    subgraph g0["levels"]
                        n0(["state<br/>until state.left == state.right"])
                        n1{{"left#95;moved"}}
                        n2{{"right#95;moved"}}
                        n3["left<br/>left#58;step#95;toward"]
                        n4["right<br/>right#58;step#95;toward"]
                    end
                    n1 --> n0
                    n2 --> n0
                    n0 -->|"when state.left != state.right"| n3
                    n3 --> n1
                    n0 -->|"when state.left != state.right"| n4
                    n4 --> n2

                """.replacing("#95;", with: "_"))
    }

    @Test func eventAfterACrash_isAnArrow() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write(
            "app.toml",
            """
            app.journal = "run.journal"
            [loops.main]
            state  = { n = 0 }
            events = { unsure = {} }
            on     = { unsure = {} }
            feedback.show = { effect = "std:print", args = ["'x'"], recover = { event = "unsure", if = "state.n > 0" } }

            """)
        let outcome = try Spinhost.run("graph", "--manifest", manifest)
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains(#"n2 -->|"after a crash, if state.n #62; 0"| n1"#), "\(outcome.output)")
    }

    @Test func eventOfACallback_isAnArrow() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write(
            "app.toml",
            """
            [plugins.libc]
            library  = "libc.so.6"
            declares = "int each(int (*visit)(int n));"
            [loops.main]
            events = { visited = { n = "int" } }
            on     = { visited = {} }
            feedback.walk = { effect = "libc:each", args = [{ callback = { emit = { event = "visited", if = "value.n > 0", n = "value.n" } } }] }

            """)
        let graph = try Spinhost.run("graph", "--manifest", manifest)
        #expect(graph.output.contains("    n2 -->|\"if value.n #62; 0\"| n1\n"), "\(graph.output)")
    }

    @Test(arguments: ["levels", "hostwatch", "traps"])
    func dot_drawsIt_withEveryName(name: String) throws {
        let folder = try TemporaryFolder()
        let manifest = name == "traps" ? try folder.write("app.toml", Self.traps) : Spinhost.example(name)
        let graph = try Spinhost.run("graph", "--manifest", manifest, "--format", "dot")
        #expect(graph.status == 0, "\(graph.errors)")
        #expect(try Spinhost.run("graph", "--manifest", manifest, "--format=dot").output == graph.output)
        let drawn = try Shell.run("dot", ["-Tsvg"], input: graph.output)
        #expect(drawn.status == 0 && drawn.errors == "", "\(drawn.errors)")
        if name == "traps" {
            let texts = [
                "state.text == &#39;&lt;&quot;end&quot;&gt;&#39;", "|]\\#;{}", "disabled", "ignored",
            ]
            for text in texts {
                #expect(drawn.output.contains(text), "\(text)")
            }
        }
    }

    @Test func mermaid_getsNothingThatItCouldMistake() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write("app.toml", Self.traps)
        let graph = try Spinhost.run("graph", "--manifest", manifest)
        #expect(graph.status == 0, "\(graph.errors)")
        for line in graph.output.split(separator: "\n") where line.contains("\"") {
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            #expect(parts.count == 3, "\(line)")
            let label = parts[1].replacing("<br/>", with: "")
            #expect(!label.contains { "<>|[]{}`\\".contains($0) }, "\(line)")
        }
    }

    @Test func transitions_standBetweenTheCases() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write(
            "app.toml",
            """
            [loops.door]
            initial = "closed"
            shared  = { times = 0 }
            states  = { closed = {}, open = {}, broken = {} }
            events  = { pushed = {}, forced = {} }
            until   = "state.case == 'broken'"
            [loops.door.on]
            pushed = [{ from = "closed", if = "state.times < 9", to = "open" }, { from = "open", to = "closed" }]
            forced = { from = ["closed", "open"], to = "broken" }
            [loops.door.after]
            open = { delay = "5s", to = "closed" }
            [loops.door.feedback.alarm]
            effect = "std:print"
            in     = "broken"
            args   = ["'broken'"]

            """)
        let graph = try Spinhost.run("graph", "--manifest", manifest)
        #expect(
            graph.output == """
                flowchart LR
                    subgraph g0["door"]
                        n3{{"pushed"}}
                        n4{{"forced"}}
                        n5["alarm<br/>std#58;print"]
                        subgraph g1["state, until state.case == 'broken'"]
                            n0(["closed"])
                            n1(["open"])
                            n2(["broken"])
                        end
                    end
                    n0 -->|"pushed if state.times #60; 9"| n1
                    n1 -->|"pushed"| n0
                    n0 -->|"forced"| n2
                    n1 -->|"forced"| n2
                    n1 -->|"after#58;open"| n0
                    n3 --> g1
                    n4 --> g1
                    g1 --> n5

                """, "\(graph.errors)")
        let dot = try Spinhost.run("graph", "--manifest", manifest, "--format", "dot")
        let drawn = try Shell.run("dot", ["-Tsvg"], input: dot.output)
        #expect(drawn.status == 0 && drawn.errors == "", "\(drawn.errors)")
        for label in ["pushed if state.times &lt; 9", "forced", "after:open", "broken"] {
            #expect(drawn.output.contains(label), "\(label)")
        }
    }

    @Test func gears_standBetweenLoops() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write(
            "app.toml",
            """
            gears.auth.messages = { lost = { user = "string" } }
            [loops.a]
            events  = { check = { user = "string" } }
            receive = { auth.lost = { event = "check", user = "message.user" } }

            """)
        let graph = try Spinhost.run("graph", "--manifest", manifest, "--format", "dot")
        #expect(
            graph.output.contains("n0 [label=\"auth.lost\", shape=cds];"), "\(graph.output)\(graph.errors)")
        #expect(graph.output.contains("n0 -> n2;"), "\(graph.output)")
        #expect(try Shell.run("dot", ["-Tsvg"], input: graph.output).status == 0)
    }

    @Test func faultyManifest_isExit78_andAnUnknownFormat64() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write("app.toml", "app.nmae = 1\n[loops.a]\n")
        #expect(try Spinhost.run("graph", "--manifest", manifest).status == 78)
        let outcome = try Spinhost.run("graph", "--format", "svg")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("mermaid"), "\(outcome.errors)")
    }
}
