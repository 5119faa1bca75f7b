// The right column: what a row changed, why it came, what followed, and the state there.
import { changeList, copyButton, count, dim, duration, empty, h, note, pairs, panel, part, plural, problem, timeElement, valueElement } from './dom.js'
import { describe } from './events.js'
import { isSameLoop, loopOf } from './store.js'
import { Tree } from './tree.js'

const mostCauses = 24
const mostFeedbacks = 40

/** The feedbacks that send a message of a gear, as `loop` and `feedback`. */
export function senders(store, gear, message) {
	return (store.graph?.edges ?? []).filter(edge => edge.to === `gear/${gear}/${message}`)
		.map(edge => edge.from.split('/')).map(([loop, , feedback]) => ({ loop, feedback }))
}

/** The causes of a row, the nearest first: each a text, and the row that it is about if the page has it. */
function causes(row, rows, store) {
	const chain = []
	let index = rows.findIndex(other => other.id === row.id)
	if (index < 0) index = rows.length
	let current = row
	const back = test => {
		for (let at = index - 1; at >= 0; at--) if (rows[at].isGone === row.isGone && test(rows[at])) { index = at; return rows[at] }
		return null
	}
	const isHere = other => isSameLoop(other.data, current.data)
	const add = (text, found) => { chain.push({ text, row: found }); return found }
	while (chain.length < mostCauses) {
		if (current.kind === 'run') {
			const { cause, feedback, number, state } = current.data
			const began = state === 'began' ? current
				: back(other => other.kind === 'run' && isHere(other) && other.data.feedback === feedback && other.data.number === number && other.data.state === 'began')
			if (began && began !== current) add(`${feedback} run ${count(number)} began`, began)
			const event = began?.data.cause ?? cause
			if (!began) { add('it began before the rows of this page', null); break }
			if (!event) { add('it began with the state, not with an event', null); break }
			const step = back(other => other.kind === 'step' && isHere(other) && other.data.event === event)
			if (!step) { add(`${event}, before the rows of this page`, null); break }
			add(`${event} #${count(step.data.step)}`, step)
			current = step
			continue
		}
		if (current.kind === 'message') {
			const from = senders(store, current.data.gear, current.data.message)
			const run = back(other => other.kind === 'run' && other.data.state === 'began' && from.some(({ loop, feedback }) => loop === other.loop && feedback === other.data.feedback))
			if (!run) { add(`sent by ${from.map(({ loop, feedback }) => `${loop}/${feedback}`).join(' or ') || 'a loop'}`, null); break }
			add(`${loopOf(run.data)}/${run.data.feedback} run ${count(run.data.number)}`, run)
			current = run
			continue
		}
		const origin = current.data.origin ?? ''
		if (!origin) break
		if (origin === 'external') { add('external: it was sent from outside the app', null); break }
		const [, gear, message] = /^gear:([^.]*)\.(.*)$/.exec(origin) ?? []
		if (gear) {
			const sent = back(other => other.kind === 'message' && other.data.gear === gear && other.data.message === message)
			if (!add(`message ${gear}.${message}`, sent)) break
			current = sent
			continue
		}
		const feedback = origin.startsWith('feedback:') ? origin.slice(9) : origin
		const { run: number, loop, key } = current.data
		const run = back(other => other.kind === 'run' && isHere(other) && other.data.feedback === feedback && other.data.state === 'began'
			&& (number === undefined || other.data.number === number))
		if (!run) { add(`${feedback}${number === undefined ? '' : ` run ${count(number)}`}, begun before the rows of this page`, null); break }
		const ended = store.runs.get(`${loop}/${feedback}`)?.findLast(other => other.number === run.data.number && other.instance === key)
		add(`${feedback} run ${count(run.data.number)}${ended?.took === undefined ? '' : `, ${duration(ended.took)}`}`, run)
		current = run
	}
	return chain
}

/** Why a feedback does what it does, in words. */
export function outcome({ outcome, when, running = [], eventKnown }) {
	const words = {
		ran: 'ran', kept: `continues${running.length ? `: ${plural(running.length, 'run')}` : ''}`,
		rejected: `did not run: \`when\` is false${when ? ` (${when})` : ''}`, 'other-case': 'did not run: the state is in another case',
		unchanged: 'did not run: nothing new for it', cancelled: 'was cancelled', withdrawn: 'was withdrawn',
		disabled: 'is disabled in the manifest', finished: 'has ended', failed: 'failed',
	}
	return (words[outcome] ?? outcome) + (eventKnown === false ? ' (the last event is not known)' : '')
}

/** The steps of a loop as a test of a manifest. An error is shown at the top of an element, and null is returned. */
export async function asTest(app, element, loop, from, to) {
	const answer = await app.ask({ request: 'export', form: 'test', loop, from, to })
	if (answer.ok) return answer.text
	element.prepend(part(problem(answer.error)))
	return null
}

/** The right column. */
export class Detail {
	element = panel('Details', { class: 'detail' })
	#app
	#body = h('div', { class: 'body' })
	#shown = ''
	#why = new Map()
	#asked = Promise.resolve()
	/** The chosen row's id, and what is open of the states there, by loop. */
	#tree = null

	constructor(app) {
		this.#app = app
		this.element.append(this.#body)
	}

	draw() {
		const { time, store } = this.#app
		const key = `${time.row?.id} ${time.version} ${this.#why.size} ${time.row ? '' : time.live}`
		if (key === this.#shown) return
		this.#shown = key
		const row = time.row
		if (!row) {
			this.element.side.textContent = ''
			this.#tree = null
			this.#body.replaceChildren(empty('No row is chosen.', 'Click a row, or use the arrow keys in the list. Here you then see what changed, why, and what followed.'))
			return
		}
		if (this.#tree?.row !== row.id) { this.#why.clear(); this.#tree = { row: row.id, trees: new Map() } }
		const focus = this.#body.contains(document.activeElement) ? document.activeElement : null
		const [name, rest] = describe(row)
		this.element.side.textContent = row.data.step === undefined ? row.kind : `${loopOf(row.data)} #${count(row.data.step)}`
		this.#body.replaceChildren(...[
			part(h('h3', {}, name, row.kind === 'step' ? null : dim(rest)),
				note(timeElement(row.at, row.data.time), time.position === null ? '' : ` · @${count(time.position)}`, row.loop ? ` · ${loopOf(row.data)}` : ''),
				row.data.payload && Object.keys(row.data.payload).length ? this.#fields(row.data.payload) : null),
			row.kind === 'fault' ? this.#part('Fault', h('p', { class: 'bad' }, `▲ ${row.data.code}: ${row.data.message}`), note(`origin: ${row.data.origin}`)) : null,
			row.kind === 'step' ? this.#part('What changed', changeList(row.data.changed)) : null,
			this.#part('Why', this.#causes(row)),
			row.kind === 'step' ? this.#part('Then', this.#then(row, store)) : null,
			this.#part('State there', time.error ? problem(time.error) : time.states ? this.#states(row) : note('asking the host …')),
			row.kind === 'step' && row.data.key === undefined ? h('div', { class: 'part buttons' }, copyButton('Copy as test', () => asTest(this.#app, this.#body, row.loop, row.data.step, row.data.step)),
				h('a', { class: 'button', href: '#/time' }, 'Fork from here')) : null,
		].filter(Boolean))
		// An element that stayed takes the focus again; else its successor does.
		if (focus) (focus.isConnected ? focus : [...this.#body.querySelectorAll('button,a,summary')].find(element => element.textContent === focus.textContent))?.focus()
	}

	#part(title, ...content) { return part(h('h3', { class: 'title' }, title), ...content) }

	#fields(payload) {
		return pairs(Object.entries(payload).map(([name, value]) => [name, valueElement(value)]))
	}

	#causes(row) {
		const chain = causes(row, this.#app.time.rows, this.#app.store)
		if (!chain.length) return note('nothing is known')
		return h('ol', { class: 'causes mono' }, chain.map(({ text, row: cause }) => h('li', {}, h('span', { 'aria-hidden': 'true' }, '← '),
			cause ? h('button', { class: 'link', onclick: () => this.#app.time.select(cause) }, text) : dim(text))))
	}

	#then(row, store) {
		const rows = this.#app.time.rows
		const at = rows.findIndex(other => other.id === row.id)
		const isHere = other => isSameLoop(other.data, row.data)
		let end = at < 0 ? -1 : rows.findIndex((other, index) => index > at && other.kind === 'step' && isHere(other))
		if (end < 0) end = rows.length
		const following = at < 0 ? [] : rows.slice(at + 1, end).filter(other => other.kind === 'run' && isHere(other))
		const feedbacks = store.nodes('feedback').filter(node => node.loop === row.loop).slice(0, mostFeedbacks)
		if (!feedbacks.length) return note('this loop has no feedback')
		return pairs(feedbacks.map(({ name }) => {
			const runs = following.filter(other => other.data.feedback === name)
			const began = runs.find(other => other.data.state === 'began')
			const stopped = runs.find(other => ['ended', 'cancelled'].includes(other.data.state) && other.data.number !== began?.data.number)
			const said = [stopped && `run ${count(stopped.data.number)} ${stopped.data.state}`, began && `run ${count(began.data.number)} began`].filter(Boolean)
			return [name, said.length ? said.join(', ') : row.data.key === undefined ? this.#reason(row, name) : dim('no run is known')]
		}))
	}

	/** Why a feedback did not run. The host knows it for the present state. */
	#reason(row, feedback) {
		const key = `${row.loop}/${feedback}`
		const known = this.#why.get(key)
		if (!known) {
			this.#why.set(key, { outcome: 'asking …' })
			this.#asked = this.#asked.then(() => this.#ask(row, feedback, key))
			return dim('asking …')
		}
		return dim(outcome(known), known.step !== undefined && known.step !== row.data.step ? ` (now, at #${count(known.step)})` : '')
	}

	/** Asks one after another, and no more once another row is chosen. */
	async #ask(row, feedback, key) {
		const isChosen = () => this.#tree?.row === row.id && this.#app.time.row?.id === row.id
		const answer = isChosen() ? await this.#app.ask({ request: 'why', loop: row.loop, feedback }) : null
		if (this.#tree?.row !== row.id) return
		if (answer) this.#why.set(key, answer.ok ? answer : { outcome: answer.error.message })
		else this.#why.delete(key)
		this.#shown = ''
		this.#app.requestDraw()
	}

	#states(row) {
		const { trees } = this.#tree
		return h('div', {}, this.#app.time.states.map(({ loop, step, state }) => {
			if (!trees.has(loop)) {
				const tree = new Tree()
				const element = h('details', { open: loop === row.loop || this.#app.time.states.length === 1 }, h('summary', {}, h('b', {}, loop), ` #${count(step)}`), tree.element)
				tree.onchange = () => tree.show(state, loop === row.loop ? row.data.changed : {})
				trees.set(loop, { tree, element })
			}
			trees.get(loop).tree.onchange()
			return trees.get(loop).element
		}))
	}
}
