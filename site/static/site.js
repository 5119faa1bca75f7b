"use strict"

// A page that is opened as a file may not read others, so the search shows no excerpts of them.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false

// `versions.js`, beside the folders of all versions, calls this with their names. The sidebar then offers them.
window.showVersions = names => {
    const folder = document.currentScript.src
    const list = document.getElementById("versions")
    const shown = list.value
    list.replaceChildren(...names.map(name => new Option(name, name, name === shown, name === shown)))
    list.addEventListener("change", () => {
        location.href = new URL(`${list.value}/index.html`, folder)
    })
}
