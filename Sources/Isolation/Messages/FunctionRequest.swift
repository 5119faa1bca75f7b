import Interfaces
package import Records

/// A function that a worker is to prepare calls of.
struct FunctionRequest: Hashable {
    let name: String
    /// Whether the plugin declares it as an effect. Otherwise `declares` of the manifest does.
    let isEffect: Bool
    /// The function that frees the strings that it returns.
    let release: String?
    let arguments: [CallArgument]

    func write(to writer: ByteWriter) {
        writer.put(name)
        writer.put(byte: isEffect ? 1 : 0)
        writer.put(optional: release)
        writer.put(count: arguments.count)
        for argument in arguments { argument.write(to: writer) }
    }

    init(name: String, isEffect: Bool, release: String?, arguments: [CallArgument]) {
        (self.name, self.isEffect) = (name, isEffect)
        (self.release, self.arguments) = (release, arguments)
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        (name, isEffect, release) = (try reader.text(), try reader.byte() != 0, try reader.optionalText())
        var arguments: [CallArgument] = []
        for _ in 0..<(try reader.count()) { arguments.append(try CallArgument(&reader)) }
        self.arguments = arguments
    }
}

extension CallArgument {
    fileprivate func write(to writer: ByteWriter) {
        switch self {
        case .input: writer.put(byte: 0)
        case .null: writer.put(byte: 1)
        case .out(let count, let form):
            writer.put(byte: 2)
            writer.put(count: count)
            form.write(to: writer)
        case .inOut(let count, let form):
            writer.put(byte: 3)
            writer.put(signed: Int64(count ?? -1))
            form.write(to: writer)
        case .callback(let counts):
            writer.put(byte: 4)
            writer.put(count: counts.count)
            for (parameter, count) in counts {
                writer.put(parameter)
                switch count {
                case .fixed(let number):
                    writer.put(byte: 0)
                    writer.put(count: number)
                case .parameter(let name):
                    writer.put(byte: 1)
                    writer.put(name)
                }
            }
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws(DamagedBytes) {
        switch try reader.byte() {
        case 0: self = .input
        case 1: self = .null
        case 2: self = .out(count: try reader.number(upTo: .max), as: try OutForm(&reader))
        case 3:
            let count = Int(try reader.signed())
            self = .inOut(count: count < 0 ? nil : count, as: try OutForm(&reader))
        case 4:
            var counts: [String: Count] = [:]
            for _ in 0..<(try reader.count()) {
                let parameter = try reader.text()
                counts[parameter] =
                    try reader.byte() == 0
                    ? .fixed(try reader.number(upTo: .max)) : .parameter(try reader.text())
            }
            self = .callback(counts: counts)
        case let kind: throw DamagedBytes("\(kind) is no kind of argument")
        }
    }
}

extension CallArgument.OutForm {
    fileprivate func write(to writer: ByteWriter) {
        switch self {
        case .elements: writer.put(byte: 0)
        case .string: writer.put(byte: 1)
        case .bytes(let used):
            writer.put(byte: 2)
            writer.put(optional: used)
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws(DamagedBytes) {
        switch try reader.byte() {
        case 0: self = .elements
        case 1: self = .string
        case 2: self = .bytes(used: try reader.optionalText())
        case let form: throw DamagedBytes("\(form) is no form of an argument")
        }
    }
}

extension ByteWriter {
    /// Appends whether there is a text, and the text.
    package func put(optional text: String?) {
        put(byte: text == nil ? 0 : 1)
        if let text { put(text) }
    }
}

extension ByteReader {
    /// Reads a text of at most so many bytes.
    mutating func text(upTo most: Int) throws(DamagedBytes) -> String {
        let text = try text()
        guard text.utf8.count <= most else { throw DamagedBytes("a text has more than \(most) bytes") }
        return text
    }

    /// Reads what `put(optional:)` has written.
    package mutating func optionalText() throws(DamagedBytes) -> String? {
        try byte() == 0 ? nil : try text()
    }
}
