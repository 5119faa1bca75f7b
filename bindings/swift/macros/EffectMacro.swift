/// `@Effect func …`.
struct EffectMacro {
    private let function: Function
    private let name: String
    private let failsIf: String

    init(_ declaration: String, name: String?, failsIf: String?) throws(Fault) {
        function = try Function(declaration)
        self.name = name ?? function.name.text
        self.failsIf = failsIf ?? ""
    }

    var source: String {
        get throws(Fault) {
            var types: [String] = []
            var prototype: [String] = []
            var bindings = ""
            for (index, parameter) in function.parameters.enumerated() {
                let type = parameter.typeText
                let (its, name, value) = try passed(index, parameter)
                types.append(its)
                prototype.append("\(name) \(parameter.plainName)")
                let arguments = value == "kept" ? "spin_c_\(index), spin_0" : "spin_c_\(index)"
                bindings += "\n    let spin_\(index): \(type) = SpinPlugin.Bridge.\(value)(\(arguments))"
            }
            let result = try function.result.map { type throws(Fault) in try CType(type, at: function.name) }
            guard result.map({ $0.size <= 8 }) ?? true else {
                throw Fault("an effect cannot return `\(function.result ?? "")`: emit it", at: function.name)
            }
            let names = function.parameters.indices.map { "spin_c_\($0)" }.joined(separator: ", ")
            let closure = "{ \(names.isEmpty ? "" : "(\(names)) in")\(bindings)\n    \(try call)\n}"
            let output = function.result.map { "\($0).SpinC" } ?? "Void"
            return Record(
                name: "spin_\(function.name.text)", kind: 2,
                members: Array(repeating: Record.pointer, count: 4) + [
                    ("@convention(c) (\(types.joined(separator: ", "))) -> \(output)", closure)
                ],
                texts: [
                    name,
                    "\(result?.name ?? "void") \(name)"
                        + "(\(prototype.isEmpty ? "void" : prototype.joined(separator: ", ")))",
                    failsIf, function.doc,
                ], size: 48
            ).source
        }
    }

    /// The type of a parameter for the host in Swift and in C, and the function that makes its value.
    private func passed(_ index: Int, _ parameter: Function.Parameter) throws(Fault)
        -> (type: String, name: String, value: String)
    {
        let type = parameter.typeText
        if type == "Call" {
            guard index == 0 else { throw Fault("the call comes first", at: parameter.type) }
            return ("OpaquePointer?", "spin_call *", "call")
        }
        let isFirst = index == 0 || index == 1 && function.parameters[0].typeText == "Call"
        if isFirst, !CType.knows(type), type.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }),
            type != "Int", type != "UInt"
        {
            return ("OpaquePointer?", "spin_self *", "instance")
        }
        if type == "SharedBytes" {
            guard function.parameters[0].typeText == "Call" else {
                throw Fault("an effect that takes `SharedBytes` takes a `Call` first", at: parameter.type)
            }
            return ("\(type).SpinC", try CType(type, at: parameter.type).name, "kept")
        }
        return ("\(type).SpinC", try CType(type, at: parameter.type).name, "passed")
    }

    /// The call of the function with the values that have been made.
    private var call: String {
        get throws(Fault) {
            let call = function.call(function.parameters.indices.map { "spin_\($0)" })
            let takesCall = function.parameters.first?.typeText == "Call"
            switch (function.isAsync, function.throwsErrors) {
            case (false, false): return function.result == nil ? call : "return \(call).spinResult"
            case (let isAsync, let throwsErrors):
                guard takesCall, function.result == nil else {
                    throw Fault(
                        "an effect that is `async` or throws takes a `Call` first and returns nothing",
                        at: function.name)
                }
                let attempt = (throwsErrors ? "try " : "") + (isAsync ? "await " : "") + call
                return isAsync
                    ? "spin_0.run { \(attempt) }" : "SpinPlugin.Bridge.attempt(spin_0) { \(attempt) }"
            }
        }
    }
}
