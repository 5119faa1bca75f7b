import ArgumentParser

/// `spinhost plugin`
struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "For those who write plugins.",
        subcommands: [
            PluginNewCommand.self, PluginInfoCommand.self, PluginCheckCommand.self, PluginTryCommand.self,
        ])
}
