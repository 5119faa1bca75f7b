import CPluginABI
import PluginHost
import Records

/// A line of a worker's log. Plugin and call are numbers that both sides know.
struct LogMessage {
    let call: UInt64
    let level: Int32
    let text: String
    let fields: LogFields
    let matter: PluginLogLine.Matter

    private static let matters: [PluginLogLine.Matter] = [.ofPlugin, .brokenRule, .replacedHandler, .fault]

    init(_ line: PluginLogLine, call: UInt64) {
        (self.call, level, text) = (call, line.level, line.text)
        (fields, matter) = (line.fields, line.matter)
    }

    func write(to writer: ByteWriter) {
        writer.put(call)
        writer.put(signed: Int64(level))
        writer.put(text)
        writer.put(byte: UInt8(Self.matters.firstIndex(of: matter)!))
        writer.put(count: fields.all.count)
        for field in fields.all {
            writer.put(field.name)
            switch field.value {
            case .int(let number):
                writer.put(byte: 0)
                writer.put(signed: number)
            case .double(let number):
                writer.put(byte: 1)
                writer.put(fixed: number.bitPattern)
            case .bool(let flag): writer.put(byte: flag ? 3 : 2)
            case .string(let text):
                writer.put(byte: 4)
                writer.put(text)
            default: preconditionFailure("a field is a text, a number or a flag")
            }
        }
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        call = try reader.number()
        level = Int32(truncatingIfNeeded: try reader.signed())
        text = try reader.text()
        matter = Self.matters[try reader.index(below: Self.matters.count)]
        var fields: [LogFields.Field] = []
        for _ in 0..<(try reader.number(upTo: Int(SPIN_FIELDS_AT_MOST))) {
            let name = try reader.text(upTo: Int(SPIN_FIELD_NAME_AT_MOST))
            let value: Value
            switch try reader.byte() {
            case 0: value = .int(try reader.signed())
            case 1: value = .double(Double(bitPattern: try reader.fixed()))
            case 2: value = .bool(false)
            case 3: value = .bool(true)
            case 4: value = .string(try reader.text(upTo: Int(SPIN_FIELD_TEXT_AT_MOST)))
            case let kind: throw DamagedBytes("\(kind) is no kind of field")
            }
            fields.append(LogFields.Field(name: name, value: value))
        }
        self.fields = LogFields(fields)
    }
}
