// What the reader writes to filter: words of the page, or an expression in CEL for the host.

const keys = ['loop', 'event', 'origin', 'kind', 'feedback', 'code']
const isCEL = text => /[=!<>]=|&&|\|\||[<>()[\]?]|\bin\b/.test(text)
const quoted = text => JSON.stringify(text)

/** The value at a path of fields, such as `owner.name`. */
function field(object, path) {
    let value = object
    for (const name of path.split('.')) value = value?.[name]
    return value
}

const text = value => typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, (_, part) => typeof part === 'bigint' ? String(part) : part)

/** What a filter word such as `event:` looks at in a row. */
function parts(row) {
    const { data, kind } = row
    return {
        loop: data.loop ?? '', event: data.event ?? data.cause ?? data.message ?? '', origin: data.origin ?? '', kind,
        feedback: data.feedback ?? (data.origin?.startsWith('feedback:') ? data.origin.slice(9) : ''), code: data.code ?? '',
    }
}

function fits(row, word) {
    if (word.key === 'field') {
        const wanted = word.value
        const [, now] = row.data.changed?.[word.name] ?? []
        return text(field(row.data.payload, word.name)) === wanted || (now !== undefined && text(now) === wanted)
    }
    const have = parts(row)
    if (word.key) return have[word.key].toLowerCase().includes(word.value.toLowerCase())
    return `${Object.values(have).join(' ')} ${text(row.data.payload)} ${row.data.text ?? ''}`.toLowerCase().includes(word.value.toLowerCase())
}

/**
 * A filter: `holds(row)` for the rows of the page, and `cel` for the host, or null.
 * The host filters before it leaves lines out, so rare steps of a fast loop are found.
 */
export function makeFilter(input) {
    const trimmed = input.trim()
    if (!trimmed) return { holds: () => true, cel: null, isEmpty: true }
    if (isCEL(trimmed)) return { holds: row => row.kind !== 'step' || row.isFiltered !== false, cel: trimmed, isCEL: true }
    const words = (trimmed.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map(word => {
        const plain = word.replaceAll('"', '')
        const [, key, value] = /^(\w+):(.*)$/.exec(plain) ?? []
        if (keys.includes(key)) return { key, value }
        const [, name, wanted] = /^([\w.-]+)=(.*)$/.exec(plain) ?? []
        return name ? { key: 'field', name, value: wanted } : { value: plain }
    })
    const cel = words.filter(word => ['loop', 'event', 'origin'].includes(word.key) && word.value)
        .map(word => `${word.key}.contains(${quoted(word.value)})`).join(' && ')
    return {
        holds: row => row.kind === 'skipped' || row.kind === 'note' || words.every(word => fits(row, word)),
        cel: cel || null, words,
    }
}
