import PluginHost

extension PluginLogLine {
    /// The line for people: `warning: plugin `name`: text`.
    var shown: String {
        let name =
            switch level {
            case ..<(-1): "trace"
            case -1: "debug"
            case 0: "info"
            case 1: "warning"
            default: "error"
            }
        return "\(name): plugin `\(plugin)`: \(text)"
    }
}
