import SpinPlugin

#plugin("reports", "1.0.0")

/// Logs what its call is, with fields of each kind.
@Effect func report(_ call: Call) {
    Host.log(
        "reported",
        [
            "has_key": .flag(call.runKey?.hasSuffix("/main/watch/1") == true),
            "attempt": .integer(Int64(call.attempt)), "text": "größe = \(2.5)", "load": 0.5, "none": "",
        ], level: .warning, call: call)
    let calls = Metrics.Counter("reports_total", "Reports.", ["language": "Swift", "from": "größe"])
    let (load, time) = (Metrics.Gauge("report_load", ""), Metrics.Histogram("report_seconds", ""))
    let (sizes, refused) = (
        Metrics.Histogram("report_bytes", "", bounds: [1, 2]), Metrics.Gauge("le gauge", "")
    )
    let answers = [
        calls.add(), calls.add(2.5), load.set(3), load.add(-1), time.observe(0.01), sizes.observe(2),
        refused.set(1), calls.add(-1),
    ]
    Host.log("counted", ["answers": "\(answers.map(\.rawValue))"])
    call.fail(Host.log("bad", ["Bad": 1]) == .badValue ? "reported" : "a bad field was taken")
    Host.log("over", ["has_key": .flag(call.runKey != nil), "attempt": .integer(Int64(call.attempt))])
}
