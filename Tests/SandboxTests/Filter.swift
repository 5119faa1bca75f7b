internal import CSandbox

/// A filter as the kernel would run it, for any machine.
struct Filter {
    struct Call: Sendable, CustomStringConvertible {
        let name: String
        let number: Int32
        var description: String { name }
    }

    let machine: UInt32
    private let instructions: [sock_filter]

    /// That of the rules.
    init(_ rules: sandbox_rules, machine: UInt32) {
        var rules = rules
        self.machine = machine
        // Safe because the call gets the size of the room, and writes as many as it returns.
        instructions = unsafe Array(
            unsafeUninitializedCapacity: Int(SANDBOX_FILTER_CAPACITY)
        ) { room, count in
            count = unsafe sandbox_write_filter(&rules, machine, room.baseAddress!, room.count)
        }
    }

    /// That of a policy which allows nothing.
    static func plain(of process: Int32, machine: UInt32) -> Filter {
        var rules = sandbox_rules()
        rules.process = process
        return Filter(rules, machine: machine)
    }

    var count: Int { instructions.count }

    /// What it answers to a call with these arguments, and with 0 as the others.
    func answer(to number: Int32, _ arguments: [UInt64] = [], machine: UInt32? = nil) -> UInt32 {
        let all = arguments + [UInt64](repeating: 0, count: 6 - arguments.count)
        // Safe because the call reads as many instructions as there are, and six arguments.
        return unsafe sandbox_run_filter(
            instructions, instructions.count, machine ?? self.machine, number, all)
    }

    /// What it answers to a call by its name; nil if the machine has none of that name.
    func answer(to name: String, _ arguments: [UInt64] = []) -> UInt32? {
        Self.number(of: name, machine: machine).map { answer(to: $0, arguments) }
    }

    /// The calls with a name to which it answers this when all arguments are 0.
    func calls(that action: UInt32) -> [Call] {
        (Int32(0)..<512).compactMap { number in
            guard answer(to: number) == action, let name = Self.name(of: number, machine: machine) else {
                return nil
            }
            return Call(name: name, number: number)
        }
    }

    static func number(of name: String, machine: UInt32 = sandbox_machine()) -> Int32? {
        (Int32(0)..<512).first { Self.name(of: $0, machine: machine) == name }
    }

    private static func name(of number: Int32, machine: UInt32) -> String? {
        // Safe because names are constants.
        unsafe sandbox_call_name(machine, number).map { unsafe String(cString: $0) }
    }
}
