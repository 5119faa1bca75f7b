import ArgumentParser

/// `spinhost plugin`
struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Create, inspect and check plugins.",
        subcommands: [
            PluginNewCommand.self, PluginInfoCommand.self, PluginCheckCommand.self,
        ])
}
