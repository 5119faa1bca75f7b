"use strict"

// A page that is opened as a file may not read others, so the search shows no excerpts of them.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false

// `versions.js`, beside the folders of all versions, calls this with their names. The sidebar then offers them.
window.showVersions = names => {
    const folder = document.currentScript.src
    const list = document.getElementById("versions")
    const shown = list.value
    const page = location.href.slice(new URL(`${shown}/`, folder).href.length).replace(/\.html([?#].*)?$/, "")
    list.replaceChildren(...names.map(name => new Option(name, name, name === shown, name === shown)))
    list.addEventListener("change", () => {
        const version = new URL(`${list.value}/`, folder)
        const open = name => { location.href = new URL(`${name}.html`, version) }
        // The index of a version's search names its pages. Unlike a request, a script element also works for files.
        const script = document.createElement("script")
        let isThere = false
        window.Search = {setIndex: index => { isThere = index.docnames.includes(page) }}
        script.onload = () => open(isThere ? page : "index")
        script.onerror = () => open("index")
        script.src = new URL("searchindex.js", version)
        document.head.append(script)
    })
}
