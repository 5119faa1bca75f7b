import Foundation
import NIOCore
import Testing

@testable import Inspector

/// Hosts that end, return, hang, or are others than expected.
@Suite(.timeLimit(.minutes(5))) struct HostTests {
    private func down(_ reason: String) -> String {
        PageLine.down(HostFailure(code: "", message: reason))
    }

    private func noHost(_ reason: String) -> String { PageRequest.fault("no-host", reason) }

    @Test func `A page hears that the host ends and returns`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host) { $0.retry = (.milliseconds(1), .milliseconds(5)) }
        let page = try server.livePage()
        host.stop()
        #expect(page.next() == down("the host has ended the connection"))
        #expect(page.next() == down("no app listens at `\(host.path)`"))
        page.send(#"{"request":"state"}"#)
        #expect(page.next() == noHost("no app listens at `\(host.path)`"))
        try host.start()
        #expect(page.next() == TestServer.up)
        page.send(#"{"request":"state"}"#)
        #expect(page.next() == #"{"ok":true,"to":{"request":"state"}}"#)
    }

    @Test func `A host that drops leaves no request without an answer`() throws {
        let host = try FakeHost(.answering { _ in nil }).start()
        let server = try TestServer(host)
        let page = try server.livePage()
        for _ in 0..<3 { page.send(#"{"request":"state"}"#) }
        page.send(#"{"request":"send"}"#)
        while host.requests.count < 4 { sched_yield() }
        page.send(opcode: 9, [])
        #expect(page.frame()?.opcode == 10)
        host.stop()
        let reason = "the host has ended the connection"
        for _ in 0..<3 { #expect(page.next() == noHost(reason)) }
        #expect(page.next()?.contains("read-only") == true)
        #expect(page.next() == down(reason))
    }

    @Test func `A host that hangs is down, and not alive`() throws {
        let host = try FakeHost(.silent).start()
        let server = try TestServer(host) { $0.host = .milliseconds(50) }
        let page = try server.page()
        #expect(page.next() == down("the host does not answer"))
        for path in ["/live", "/ready"] {
            let answer = try server.get(path)
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(
                answer.body
                    == #"{"ok":false,"error":{"code":"no-answer","message":"the host does not answer"}}"#
                    + "\n")
        }
        #expect(try server.status("/metrics") == "503")
    }

    @Test(arguments: [
        (
            #"{"spinhost":1,"app":"door","pid":1}"#,
            "the host speaks protocol 1 only; start the app with the spinhost of this inspector"
        ),
        (
            #"{"spinhost":1,"app":"door","pid":1,"versions":[1,3]}"#,
            "the host speaks protocol 1 only; start the app with the spinhost of this inspector"
        ),
        ("SSH-2.0-OpenSSH", "the program that listens at the socket is not spinhost"),
        (
            #"{"ok":false,"error":{"code":"too-many-clients","message":"64 clients are connected"}}"#,
            "64 clients are connected"
        ),
    ])
    func `Another program, or another version, is down with the reason`(line: String, reason: String) throws {
        let server = try TestServer(try FakeHost(.saying(line)).start())
        let page = try server.page()
        #expect(page.next() == down(reason))
        #expect(try server.get("/live").contains(reason))
    }

    @Test func `A line of the host without an end is bounded`() throws {
        let host = try FakeHost(.answering { _ in nil }).start()
        let server = try TestServer(host) { $0.line = 1000 }
        let page = try server.livePage()
        host.push(String(repeating: "x", count: 100_000))
        #expect(page.next() == down("the host has ended the connection"))
    }

    @Test func `An app that has not begun is alive and not ready`() throws {
        let fault = #"{"ok":false,"error":{"code":"not-begun","message":"the app has not begun yet"}}"#
        let server = try TestServer(try FakeHost(.answering { _ in fault }).start())
        #expect(try server.status("/live") == "200")
        let answer = try server.get("/ready")
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.body == fault + "\n")
    }

    @Test func `An app whose journal is broken is alive and not ready`() throws {
        let counters = #"{"ok":true,"counters":[{"app":"door","journal":{"position":7,"broken":BROKEN}}]}"#
        for (broken, ready) in [("false", "200"), ("true", "503")] {
            let line = counters.replacingOccurrences(of: "BROKEN", with: broken)
            let server = try TestServer(try FakeHost(.answering { _ in line }).start())
            #expect(try server.status("/live") == "200")
            #expect(try server.status("/ready") == ready)
        }
    }

    @Test func `Metrics have what the host counts, and leave out what is unknown`() throws {
        let counters = #"""
            {"ok":true,"counters":[
            {"loop":"do\"or","steps":3,"events":4,"unhandled":1,"withdrawn":0,"discarded":0,"drops":0,"late":0,"dropped":0,"droppedStarts":0,"refused":0,"faults":2,"queue":5,"running":1,"novel":{"x":[1]},
            "watched":{"since":"…","events":{"external":{"handled":3,"unhandled":1}},"feedbacks":[{"feedback":"bell","running":1,"began":3,"ended":2,"cancelled":0,"failed":0,"p50":1,"p99":1,"longest":2,"sum":3000,"buckets":[1,1,0]}]}},
            {"loop":"order","steps":7,"instances":3,"awake":1,"busy":2,"kept":4,"made":9,"ended":6,"refusedByLimit":5,"refusedAsAbsent":8},
            {"app":"door","steps":3,"drops":0,"lostMessages":1,"faults":2,"swaps":1,"refusedSwaps":0,"failedSwaps":0,"rollBacks":1,
            "images":{"inUse":1,"unmapped":2,"kept":0},"journal":{"file":"a","position":9,"durable":8,"bytes":700,"commits":4,"waits":0,"broken":false}}]}
            """#.replacingOccurrences(of: "\n", with: "")
        let plugins =
            #"{"ok":true,"plugins":[{"plugin":"bell","version":"1.0.0","hash":"abc","isolation":"none","standing":"trusted","instances":2}]}"#
        let host = try FakeHost(
            .answering { request in
                if request.contains("counters") { return counters }
                return request.contains("plugins") ? plugins : #"{"ok":true,"metrics":[]}"#
            }
        ).start()
        let server = try TestServer(host) { $0.series = 10 }
        let answer = try server.get("/metrics")
        #expect(answer.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
        let lines = Set(answer.body.split(separator: "\n").map(String.init))
        for line in [
            #"spinhost_build_info{version="0.1.0",app="door"} 1"#, #"spinhost_steps_total{loop="do\"or"} 3"#,
            #"spinhost_events_total{loop="do\"or",outcome="handled"} 3"#,
            #"spinhost_events_total{loop="do\"or",outcome="unhandled"} 1"#,
            #"spinhost_queue_events{loop="do\"or"} 5"#, #"spinhost_faults_total{loop="do\"or",code=""} 2"#,
            #"spinhost_events_by_origin_total{loop="do\"or",origin="external",outcome="handled"} 3"#,
            #"spinhost_effect_calls_total{loop="do\"or",feedback="bell",plugin="",outcome="succeeded"} 2"#,
            #"spinhost_effects_running{loop="do\"or",feedback="bell"} 1"#,
            #"spinhost_effect_seconds_bucket{loop="do\"or",feedback="bell",le="2e-06"} 2"#,
            #"spinhost_effect_seconds_bucket{loop="do\"or",feedback="bell",le="+Inf"} 2"#,
            #"spinhost_effect_seconds_sum{loop="do\"or",feedback="bell"} 3e-06"#,
            #"spinhost_plugin_info{plugin="bell",version="1.0.0",hash="abc",isolation="none",standing="trusted"} 1"#,
            #"spinhost_plugin_instances{plugin="bell"} 2"#, "spinhost_lost_messages_total 1",
            #"spinhost_swaps_total{plugin="",outcome="rolled_back"} 1"#,
            #"spinhost_images{grade="unmapped"} 2"#,
            #"spinhost_instances{loop="order"} 3"#, #"spinhost_busy_instances{loop="order"} 2"#,
            #"spinhost_kept_instances{loop="order"} 4"#, #"spinhost_instances_made_total{loop="order"} 9"#,
            #"spinhost_instances_ended_total{loop="order"} 6"#,
            #"spinhost_instance_refusals_total{loop="order",reason="limit"} 5"#,
            #"spinhost_instance_refusals_total{loop="order",reason="absent"} 8"#,
            "spinhost_journal_position 9", "spinhost_journal_durable_position 8",
            "spinhost_journal_bytes_total 700",
            "spinhost_journal_commits_total 4", "spinhost_journal_broken 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!answer.contains("novel"))
        // The fake host says that it is process 1, which the system knows.
        #expect(lines.contains { $0.hasPrefix("process_cpu_seconds_total ") })
        let series = lines.count { !$0.hasPrefix("#") }
        #expect(
            server.log.all == [
                "warning: /metrics has \(series) series, more than 10: look for labels of plugins with many values"
            ])
    }

    @Test func `Metrics have codes, plugins, messages and histograms if the host counts them`() throws {
        let counters = #"""
            {"ok":true,"counters":[{"loop":"door","faults":3,"faultCodes":{"R001":2,"R100":1},
            "watched":{"events":{},"feedbacks":[{"feedback":"bell","plugin":"ring","running":0,"began":3,"ended":3,"cancelled":0,"failed":1,
            "outcomes":{"succeeded":2,"failed":1,"cancelled":0},"sum":1000,"buckets":[1,0]}]}},
            {"app":"door","faultCodes":{"R001":2,"R100":1},"swapOutcomes":[{"plugin":"ring","swapped":1,"refused":2,"failed":0,"rolledBack":1}],
            "swapPauses":{"sum":2000000000,"buckets":[0,1,0]},
            "messages":[{"gear":"news","message":"opened","sent":3,"delivered":2,"lost":1}],
            "plugins":[{"plugin":"ring","calls":3,"succeeded":2,"failed":1,"cancelled":0,"sum":1000,"longest":500}],
            "images":{"inUse":0,"unmapped":0,"kept":1,"keptWithThreads":1,"keptBytes":4096},
            "journal":{"position":1,"broken":false,"commitTimes":{"sum":5000,"buckets":[0,2,1]}}}]}
            """#.replacingOccurrences(of: "\n", with: "")
        let server = try TestServer(try FakeHost(.answering { _ in counters }).start())
        let lines = Set(try server.get("/metrics").body.split(separator: "\n").map(String.init))
        for line in [
            #"spinhost_faults_total{loop="door",code="R001"} 2"#,
            #"spinhost_faults_total{loop="door",code="R100"} 1"#,
            #"spinhost_effect_calls_total{loop="door",feedback="bell",plugin="ring",outcome="failed"} 1"#,
            #"spinhost_swaps_total{plugin="ring",outcome="rolled_back"} 1"#,
            #"spinhost_swap_pause_seconds_bucket{le="2e-06"} 1"#, "spinhost_swap_pause_seconds_sum 2.0",
            #"spinhost_gear_messages_total{gear="news",message="opened",outcome="lost"} 1"#,
            #"spinhost_plugin_calls_total{plugin="ring"} 3"#,
            #"spinhost_plugin_longest_call_seconds{plugin="ring"} 5e-07"#, "spinhost_kept_images_bytes 4096",
            #"spinhost_journal_commit_seconds_bucket{le="+Inf"} 3"#,
            "spinhost_journal_commit_seconds_sum 5e-06",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }
}
