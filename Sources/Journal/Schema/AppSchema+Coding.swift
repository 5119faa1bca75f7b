import Records

extension AppSchema {
    func write(to writer: ByteWriter) {
        writer.put(loops, { $0.write(to: writer) })
        writer.put(gears) { gear in
            writer.put(gear.name)
            writer.put(gear.messages, { $0.write(to: writer) })
        }
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        loops = try reader.list { reader throws(DamagedBytes) in try LoopSchema(&reader) }
        gears = try reader.list { reader throws(DamagedBytes) in
            GearSchema(
                name: try reader.text(),
                messages: try reader.list { reader throws(DamagedBytes) in try NamedType(&reader) })
        }
        for loop in loops {
            let isKnown = loop.receives.allSatisfy { message in
                gears.indices.contains(message.gear)
                    && gears[message.gear].messages.indices.contains(message.message)
            }
            guard isKnown else { throw DamagedBytes("a loop receives a message that does not exist") }
        }
    }
}

extension LoopSchema {
    func write(to writer: ByteWriter) {
        writer.put(name)
        state.write(to: writer)
        writer.put(events, { $0.write(to: writer) })
        writer.put(feedbacks) { feedback in
            writer.put(feedback.name)
            writer.put(byte: feedback.trigger.rawValue)
        }
        writer.put(receives) { message in
            writer.put(count: message.gear)
            writer.put(count: message.message)
        }
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        self.init(
            name: try reader.text(), state: try RecordType(&reader),
            events: try reader.list { reader throws(DamagedBytes) in try NamedType(&reader) },
            feedbacks: try reader.list { reader throws(DamagedBytes) in
                let name = try reader.text()
                guard let trigger = Feedback.Trigger(rawValue: try reader.byte()) else {
                    throw DamagedBytes("there is no such trigger")
                }
                return Feedback(name, trigger)
            },
            receives: try reader.list { reader throws(DamagedBytes) in
                Reception(
                    gear: try reader.number(upTo: .max >> 1), message: try reader.number(upTo: .max >> 1))
            })
    }
}

extension NamedType {
    func write(to writer: ByteWriter) {
        writer.put(name)
        type.write(to: writer)
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        self.init(try reader.text(), try RecordType(&reader))
    }
}

extension ByteWriter {
    /// Writes the number of elements, then each of them.
    func put<Element>(_ elements: [Element], _ write: (Element) -> Void) {
        put(count: elements.count)
        for element in elements { write(element) }
    }
}

extension ByteReader {
    /// Reads a number of elements, then each of them.
    mutating func list<Element>(
        _ read: (inout ByteReader) throws(DamagedBytes) -> Element
    ) throws(DamagedBytes) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try count()) { elements.append(try read(&self)) }
        return elements
    }
}
