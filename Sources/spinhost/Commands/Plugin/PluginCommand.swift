import ArgumentParser

/// `spinhost plugin`
struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Create, inspect, check and profile plugins.",
        subcommands: [
            PluginNewCommand.self, PluginInfoCommand.self, PluginCheckCommand.self,
            PluginProfileCommand.self,
        ])
}
