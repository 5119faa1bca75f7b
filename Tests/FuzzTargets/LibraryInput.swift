import Interfaces
import Records

/// Reads a file as a shared library and as a plugin.
enum LibraryInput {
    static func run(_ bytes: [UInt8]) {
        do {
            let file = try ELFFile(path: InputFile.write(bytes, as: "library.so"))
            for symbol in file.definedSymbols.prefix(8) { _ = file.defines(symbol) }
            precondition(!file.defines("no such symbol"), "only symbols of the file are defined")
            guard let plugin = try PluginDescription.read(from: file) else { return }
            for record in plugin.records {
                precondition((1...1 << 16).contains(record.type.size), "a struct has a size within bounds")
            }
            for loop in plugin.loops {
                precondition(plugin.knows(loop: loop.loop), "a plugin knows its loops")
                try plugin.check(loop)
            }
        } catch { precondition(!error.message.isEmpty, "every refusal says something") }
    }
}
