internal import CSandbox

/// The filter that a policy has without an observer. Only arguments decide, which nobody can change after the
/// call, so the observer can answer as it does.
struct PlainFilter {
    private let instructions: [sock_filter]

    init(_ policy: SandboxPolicy, of process: Int32, _ ability: SandboxAbility) {
        var plain = policy
        plain.observation = .off
        var rules = plain.filterRules(of: process, ability)
        rules.asks_for_children = false
        instructions = Self.instructions(rules, machine: sandbox_machine())
    }

    /// The filter's program for a machine.
    static func instructions(_ rules: sandbox_rules, machine: UInt32) -> [sock_filter] {
        var rules = rules
        // Safe because the call gets the size of the room, and writes as many as it returns.
        return unsafe Array(
            unsafeUninitializedCapacity: Int(SANDBOX_FILTER_CAPACITY)
        ) { room, count in
            count = unsafe sandbox_write_filter(&rules, machine, room.baseAddress!, room.count)
        }
    }

    /// What the kernel would answer.
    func answer(to call: sandbox_notification) -> Answer {
        var arguments = call.arguments
        // Safe because the call reads as many instructions as there are, and six arguments, which the tuple
        // has.
        let action = unsafe withUnsafeBytes(of: &arguments) { bytes in
            unsafe sandbox_run_filter(
                instructions, instructions.count, call.machine, call.number,
                bytes.baseAddress!.assumingMemoryBound(to: UInt64.self))
        }
        return switch action & 0xffff_0000 {
        case 0x7fff_0000: .allowed
        case 0x0005_0000: .fails(Int32(action & 0xffff))
        default: .ends
        }
    }

    enum Answer: Equatable {
        case allowed
        /// With an `errno`.
        case fails(Int32)
        /// The call ends the process.
        case ends
    }
}
