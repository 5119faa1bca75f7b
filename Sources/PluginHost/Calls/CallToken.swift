/// The `spin_call *` of one running call: a number that is unique in the process, never an address.
///
/// A plugin may keep it for ever. Once the call is over, every function answers that it is.
public struct CallToken: Hashable, Sendable {
    /// The number as it is passed to C; never 0.
    package let bits: UInt

    /// Slots take the lower 24 bits, so that 16 million calls can run at once. A slot's serial takes 40 bits,
    /// so that a token comes back after a million million calls at the earliest.
    static let slotBits: UInt = 24

    package init(bits: UInt) { self.bits = bits }

    init(slot: Int, serial: UInt) { bits = serial << Self.slotBits | UInt(slot) }

    /// The token that a plugin passed.
    init(_ call: OpaquePointer?) { bits = UInt(bitPattern: call) }

    var slot: Int { Int(bits & (1 << Self.slotBits - 1)) }
    var serial: UInt { bits >> Self.slotBits }
}
