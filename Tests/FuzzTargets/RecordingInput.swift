import App
import Foundation
import Manifest
import Records
import TestSupport

/// Reads lines as JSON, and replays them with `Tests/Fixtures/fuzz/recorded.toml`.
enum RecordingInput {
    private static let manifest: Manifest = {
        let path = Project.root.appendingPathComponent("Tests/Fixtures/fuzz/recorded.toml").path
        let loaded = App.loadManifest(path: path)
        guard let manifest = loaded.manifest else { fatalError("\(path): \(loaded.diagnostics)") }
        return manifest
    }()

    static func run(_ bytes: [UInt8]) {
        var replay = Replay(manifest)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let value: Value
            do { value = try Value(json: String(decoding: line, as: UTF8.self)) } catch {
                precondition(!error.message.isEmpty, "every refusal says something")
                continue
            }
            do {
                let again = try Value(json: value.json)
                precondition(again.json == value.json, "what was written reads as the same")
            } catch { preconditionFailure("what was written is JSON: \(error)") }
            do { try replay.take(value) } catch {
                precondition(!error.message.isEmpty, "every refusal says something")
            }
        }
    }
}
