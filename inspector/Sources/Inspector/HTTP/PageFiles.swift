import NIOHTTP1

/// The files of the page, which are part of the program.
enum PageFiles {
    /// The files by their paths. A test compares it with the folder `Page`.
    static let all: [String: [UInt8]] = [
        "/connection.js": PackageResources.connection_js,
        "/detail.js": PackageResources.detail_js,
        "/dom.js": PackageResources.dom_js,
        "/events.js": PackageResources.events_js,
        "/filter.js": PackageResources.filter_js,
        "/gears.js": PackageResources.gears_js,
        "/graph.js": PackageResources.graph_js,
        "/index.html": PackageResources.index_html,
        "/list.js": PackageResources.list_js,
        "/log.js": PackageResources.log_js,
        "/loops.js": PackageResources.loops_js,
        "/main.js": PackageResources.main_js,
        "/plugins.js": PackageResources.plugins_js,
        "/send.js": PackageResources.send_js,
        "/store.js": PackageResources.store_js,
        "/style.css": PackageResources.style_css,
        "/time.js": PackageResources.time_js,
        "/timeline.js": PackageResources.timeline_js,
        "/travel.js": PackageResources.travel_js,
        "/tree.js": PackageResources.tree_js,
    ]

    /// The answer for a path; nil if the page has no such file.
    static func reply(for path: String) -> Reply? {
        let path = path == "/" ? "/index.html" : path
        guard let content = all[path] else { return nil }
        guard path.hasSuffix(".html") else { return Reply(.ok, type: type(of: path), content: content) }
        let nonce = Token().text
        let text = String(decoding: content, as: UTF8.self)
            .split(separator: "{{nonce}}", omittingEmptySubsequences: false).joined(separator: nonce)
        return Reply(.ok, type: type(of: path), content: Array(text.utf8), nonce: nonce)
    }

    private static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
