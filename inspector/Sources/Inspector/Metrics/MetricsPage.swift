/// The metrics of an app, from what its host answers. Counters that this server does not know are left out.
struct MetricsPage: Sendable {
    /// The text in the format of Prometheus.
    let text: String
    /// The number of series.
    let series: Int

    init(_ answers: HostAnswers, process: ProcessMetrics) {
        var text = MetricText()
        text.add(
            .gauge, "spinhost_build_info", "The version of the inspector, and the app.",
            [("version", InspectorVersion.text), ("app", answers.greeting.app)], "1")
        for line in answers["counters"]["counters"]?.elements ?? [] {
            if let loop = line["loop"]?.text {
                LoopMetrics(loop, line).write(to: &text)
            } else {
                AppMetrics(line).write(to: &text)
            }
        }
        for plugin in answers["plugins"]["plugins"]?.elements ?? [] { Self.write(plugin, to: &text) }
        process.write(to: &text)
        PluginMetrics(answers["metrics"]["metrics"]?.elements ?? []).write(to: &text)
        (self.text, series) = (text.text, text.series)
    }

    private static func write(_ plugin: JSON, to text: inout MetricText) {
        guard let name = plugin["plugin"]?.text else { return }
        let keys = ["version", "hash", "isolation", "standing"]
        text.add(
            .gauge, "spinhost_plugin_info", "A plugin as it is loaded.",
            [("plugin", name)] + keys.map { ($0, plugin[$0]?.text ?? "") }, "1")
        if let instances = plugin["instances"]?.digits {
            text.add(
                .gauge, "spinhost_plugin_instances", "Started instances of a plugin.", [("plugin", name)],
                instances)
        }
    }
}
