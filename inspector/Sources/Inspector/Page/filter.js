// What the reader writes to filter: words of the page, or an expression in CEL for the host.
import { announce, json, plural, valueAt } from './dom.js'
import { nameOf, loopOf } from './store.js'

const keys = ['loop', 'event', 'origin', 'kind', 'feedback', 'code']
const isCEL = text => /[=!<>]=|&&|\|\||[<>()[\]?]|\bin\b/.test(text)
const quoted = text => JSON.stringify(text)

const text = value => typeof value === 'string' ? value : value === undefined ? '' : json(value)

/** What a filter word such as `event:` looks at in a row. */
function parts(row) {
	const { data, kind } = row
	return {
		loop: loopOf(data) ?? '', event: data.event ?? data.cause ?? data.message ?? '', origin: data.origin ?? '', kind,
		feedback: data.feedback ?? (data.origin?.startsWith('feedback:') ? data.origin.slice(9) : ''), code: data.code ?? '',
	}
}

function fits(row, word) {
	if (word.key === 'field') {
		const wanted = word.value
		const [, now] = row.data.changed?.[word.name] ?? []
		return text(valueAt(row.data.payload, word.name)) === wanted || (now !== undefined && text(now) === wanted)
	}
	const have = parts(row)
	if (word.key) return have[word.key].toLowerCase().includes(word.value.toLowerCase())
	return `${Object.values(have).join(' ')} ${text(row.data.payload)} ${row.data.text ?? ''}`.toLowerCase().includes(word.value.toLowerCase())
}

/**
 * A filter: `holds(row)` for the rows of the page, and `cel` for the host, or null.
 * The host filters before it leaves lines out, so rare steps of a fast loop are found.
 */
function makeFilter(input) {
	const trimmed = input.trim()
	if (!trimmed) return { holds: () => true, cel: null }
	if (isCEL(trimmed)) return { holds: row => row.kind === 'skipped' || row.kind === 'note' || (row.kind === 'step' && row.isFiltered !== false), cel: trimmed, isCEL: true }
	const words = (trimmed.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map(word => {
		const plain = word.replaceAll('"', '')
		const [, key, value] = /^(\w+):(.*)$/.exec(plain) ?? []
		if (keys.includes(key)) return { key, value }
		const [, name, wanted] = /^([\w.-]+)=(.*)$/.exec(plain) ?? []
		return name ? { key: 'field', name, value: wanted } : { value: plain }
	})
	// `loop` is a reserved word of CEL, so the page alone looks at it.
	const cel = words.filter(word => ['event', 'origin'].includes(word.key) && word.value)
		.map(word => `${word.key}.contains(${quoted(word.value)})`).join(' && ')
	return {
		holds: row => row.kind === 'skipped' || row.kind === 'note' || words.every(word => fits(row, word)),
		cel: cel || null,
	}
}

/** The one filter of the page. All lists of events show it. */
export class Filter {
	text = ''
	/** Why the host refuses the expression; empty if it does not. */
	problem = ''
	version = 0
	#app
	#made = makeFilter('')

	constructor(app) { this.#app = app }

	/** The expression for the host, or null. */
	get cel() { return this.problem ? null : this.#made.cel }

	/** Whether a row is shown. The row keeps the answer until the filter changes. */
	holds(row) {
		if (row.filtered !== this.version) { row.filtered = this.version; row.holds = this.#made.holds(row) }
		return row.holds
	}

	/** Filters by a text. */
	async set(text) {
		if (text === this.text) return
		const before = this.#made
		const made = makeFilter(text)
		this.text = text
		this.#made = made
		this.problem = ''
		this.#changed()
		if (made.cel === before.cel) return
		const answer = await this.#app.watch(made.cel)
		if (this.#made !== made) return
		if (!answer.ok && answer.error.code === 'invalid-filter') {
			this.refuse(answer.error)
			this.#app.watch()
			return
		}
		// The host knows which steps of the past fit, and those that an earlier filter has left out.
		const past = await this.#app.ask({ request: 'steps', limit: 500, ...(made.cel ? { filter: made.cel } : {}) })
		if (this.#made !== made || !past.ok) return
		if (made.isCEL) {
			const fitting = new Set(past.steps.map(nameOf))
			for (const row of [...this.#app.time.rows, ...this.#app.store.rows]) if (row.kind === 'step') row.isFiltered = !row.isGone && fitting.has(nameOf(row.data))
		}
		this.#app.store.takePast(past.steps, !made.cel)
		if (made.cel) announce(`${plural(past.steps.length, 'step')} of the past fit`)
		this.#changed()
	}

	/** The host does not take the expression. */
	refuse(error) {
		this.problem = `${error.message} (${(error.help ?? []).join('; ')})`
		this.#changed()
	}

	#changed() {
		this.version += 1
		this.#app.requestDraw()
	}
}
