import Interfaces
public import Manifest
import Records

/// The C header of an app. It has structs for the states, events and messages of the manifest, constants for
/// enumerations and tags, functions that emit the loops' events, and a note for each loop (`SPIN_LOOP`). By
/// the note, the host checks the layout that a plugin was compiled with. The text is C11, and also valid
/// C++17.
public enum PluginHeader {
    /// The header's text; the same manifest always gives the same bytes.
    public static func text(of manifest: Manifest) -> String {
        let guardName = "SPINHOST_\(CName.constant(manifest.name))_H"
        let header = HeaderWriter()
        header.text = """
            /* The records of the app `\(manifest.name)`, written by `spinhost header`. Do not edit: changes are lost. */
            #ifndef \(guardName)
            #define \(guardName)

            #include <spinhost/plugin.h>

            #include <stdbool.h>

            /* The notes are longer than the strings that every compiler must accept. */
            #pragma GCC diagnostic push
            #pragma GCC diagnostic ignored "-Woverlength-strings"


            """
        for loop in manifest.loops {
            LoopWriter(loop.layout, docs: manifest.docs, into: header).write()
            header.text += "\n"
        }
        for gear in manifest.gears { messages(of: gear, docs: manifest.docs, into: header) }
        header.text += """
            #pragma GCC diagnostic pop

            #endif /* \(guardName) */

            """
        return header.text
    }

    private static func messages(of gear: GearModel, docs: FieldDocs, into header: HeaderWriter) {
        header.beginPart("Gear `\(gear.name)`")
        for (index, message) in gear.messages.enumerated() {
            header.constant("\(gear.name)_message_\(message.name)", index)
        }
        if !gear.messages.isEmpty { header.text += "\n" }
        for message in gear.messages where !message.type.fields.isEmpty {
            let path = "\(gear.name)_message_\(message.name)"
            let docs = Dictionary(
                uniqueKeysWithValues: message.type.fields.map { field in
                    (field.name, docs["gears.\(gear.name).messages.\(message.name).\(field.name)"] ?? "")
                })
            header.structure(header.names.name(path), message.type, path: path, docs: docs)
        }
    }
}
