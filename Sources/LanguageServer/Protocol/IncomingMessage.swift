import Records

/// A message of a client in JSON-RPC 2.0.
enum IncomingMessage {
    /// The client waits for a response with the same number or text (`id`).
    case request(id: Value, method: String, parameters: Value)
    case notification(method: String, parameters: Value)
    /// An answer to a request of the server, which makes none.
    case response
    /// It must be answered with the fault.
    case refused(id: Value, ResponseFault)

    init(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            self = .refused(id: .null, ResponseFault(.parseError, "the message is not UTF-8"))
            return
        }
        do {
            self.init(try Value(json: text))
        } catch {
            self = .refused(
                id: .null, ResponseFault(.parseError, "the message is not JSON: \(error.message)"))
        }
    }

    private init(_ value: Value) {
        let id = value["id"]
        guard case .string("2.0") = value["jsonrpc"] else {
            self = .refused(
                id: id ?? .null, ResponseFault(.invalidRequest, "the message has no `jsonrpc` 2.0"))
            return
        }
        guard let method = value["method"]?.text else {
            let isResponse = value["result"] != nil || value["error"] != nil
            self =
                isResponse
                ? .response
                : .refused(id: id ?? .null, ResponseFault(.invalidRequest, "the message has no `method`"))
            return
        }
        let parameters = value["params"] ?? .null
        switch id {
        case nil: self = .notification(method: method, parameters: parameters)
        case .int?, .string?: self = .request(id: id ?? .null, method: method, parameters: parameters)
        default:
            self = .refused(
                id: .null,
                ResponseFault(.invalidRequest, "the `id` of a request is neither a number nor a text"))
        }
    }
}

/// Why a request gets no result.
struct ResponseFault: Error, Equatable {
    /// The codes of JSON-RPC and of the protocol.
    enum Code: Int64 {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case notInitialized = -32002
        case requestFailed = -32803
    }

    let code: Code
    /// One sentence: lower case, no full stop.
    let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
