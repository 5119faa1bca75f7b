// Time: what differs between two places, and what would have followed from another event.
import { changeList, clock, copyButton, count, empty, h, json, note, panel, part, plural, problem, setText, written } from './dom.js'
import { asTest } from './detail.js'
import { Tree } from './tree.js'

const mostFollowing = 50

/** The view of time. */
export class TimeView {
	element
	#app
	#compare
	#fork
	#drawn = ''

	constructor(app) {
		this.#app = app
		this.#compare = new Compare(app)
		this.#fork = new Fork(app)
		this.element = h('div', { class: 'columns halves' }, this.#compare.element, this.#fork.element)
	}

	draw() {
		const { time } = this.#app
		const drawn = `${time.version} ${Boolean(this.#app.store.graph)}`
		if (drawn === this.#drawn) return
		this.#drawn = drawn
		this.#compare.draw()
		this.#fork.draw()
	}
}

/** What differs between mark A and mark B. */
class Compare {
	element
	#app
	#body = h('div', { class: 'body' })
	#key = ''

	constructor(app) {
		this.#app = app
		this.element = panel('Compare two places', {}, this.#body)
	}

	draw() {
		const { a, b } = this.#app.time.marks
		const key = JSON.stringify([a, b])
		if (key === this.#key) return
		this.#key = key
		if (!a || !b) {
			return this.#body.replaceChildren(empty(a || b ? `Mark ${a ? 'B' : 'A'} is not set.` : 'No mark is set.',
				'Choose a row in Events, or move the slider, and set mark A. Go elsewhere, and set mark B. What differs between the two places appears here.'))
		}
		this.#ask(a, b, key)
	}

	async #ask(a, b, key) {
		const bare = ({ loop, step, position }) => step === undefined ? { position } : { loop, step }
		const answer = await this.#app.ask({ request: 'diff', from: bare(a), to: bare(b) })
		if (this.#key !== key) return
		if (!answer.ok) return this.#body.replaceChildren(part(problem(answer.error)))
		const isRange = a.loop && a.loop === b.loop
		const [first, last] = [Math.min(a.step, b.step), Math.max(a.step, b.step)]
		this.#body.replaceChildren(
			part(note(`From A @${count(answer.from)} (${clock(a.at)}) to B @${count(answer.to)} (${clock(b.at)})`),
				isRange ? h('p', { class: 'buttons' }, copyButton(`Copy ${plural(last - first + 1, 'step')} as test`, () => asTest(this.#app, this.#body, a.loop, first, last))) : ''),
			...answer.loops.map(({ loop, from, to, changed }) => part(h('h3', {}, loop, h('span', { class: 'dim mono' }, ` #${count(from ?? 0)} → #${count(to)}`)), changeList(changed))))
	}
}

/** Edits an event, and shows both futures side by side. */
class Fork {
	element
	#app
	#event = h('select', { id: 'fork-event' })
	#payload = h('textarea', { id: 'fork-payload', rows: '4', spellcheck: 'false' }, '{}')
	#place = h('p', { class: 'dim' })
	#form
	#empty = empty('No step is chosen.', 'Choose a step of a loop without a key in Events, and change its event here. The host then says what would have followed by the transitions of the manifest. It calls no effect, and the app does not notice.')
	#result = h('div', {})
	#row = null
	#graph = null

	constructor(app) {
		this.#app = app
		this.#form = h('form', { class: 'part', onsubmit: event => { event.preventDefault(); this.#ask() } }, this.#place,
			h('p', {}, h('label', { for: 'fork-event' }, 'Event instead'), ' ', this.#event),
			h('p', {}, h('label', { for: 'fork-payload' }, 'Its fields, as JSON')), this.#payload,
			h('p', {}, h('button', { type: 'submit', class: 'main' }, 'Show both futures')))
		this.element = panel('Fork', {}, h('div', { class: 'body' }, this.#form, this.#empty, this.#result))
	}

	draw() {
		const { time, store } = this.#app
		const row = time.row?.kind === 'step' && !time.row.isGone && time.row.data.key === undefined ? time.row : null
		this.#form.hidden = !row
		this.#empty.hidden = Boolean(row)
		if (!row || (this.#row?.id === row.id && this.#graph === store.graph)) return
		const isOther = this.#row?.id !== row.id
		this.#row = row
		this.#graph = store.graph
		setText(this.#place, `In place of ${row.loop} #${count(row.data.step)} ${row.data.event} (${clock(row.at)})`)
		const names = store.nodes('event').filter(node => node.loop === row.loop).map(node => node.name)
		if (!names.includes(row.data.event)) names.push(row.data.event)
		this.#event.replaceChildren(...names.map(name => h('option', { value: name }, name)))
		this.#event.value = row.data.event
		if (!isOther) return
		this.#payload.value = json(row.data.payload, 2)
		this.#result.replaceChildren()
	}

	async #ask() {
		const row = this.#row
		const { payload, error } = written(this.#payload.value)
		if (error) return this.#result.replaceChildren(part(problem(error)))
		const edited = { loop: row.loop, event: this.#event.value, payload }
		const following = this.#following(row)
		const real = [row, ...following]
		const before = { loop: row.loop, step: row.data.step - 1 }
		const last = real.at(-1)
		const [fork, there] = await Promise.all([
			this.#app.ask({ request: 'fork', ...before, events: [edited, ...following.map(({ loop, data }) => ({ loop, event: data.event, payload: data.payload }))] }),
			this.#app.ask({ request: 'at', loop: last.loop, step: last.data.step }),
		])
		if (this.#row !== row) return
		if (!fork.ok) return this.#result.replaceChildren(part(problem(fork.error)))
		const state = (states, loop) => states?.find(entry => entry.loop === loop)?.state
		const column = (title, steps, states) => h('div', { class: 'future', role: 'group', 'aria-label': title }, h('h3', {}, title),
			h('ol', { class: 'causes' }, steps.map(step => h('li', {}, h('b', { class: 'mono' }, step.event), step.problem ? h('p', { class: 'bad' }, `▲ ${step.problem}`) : changeList(step.changed)))),
			h('h3', { class: 'title' }, 'State after that'), states ? this.#tree(state(states, row.loop)) : problem(there.error))
		this.#result.replaceChildren(h('div', { class: 'futures' },
			column('What happened', real.map(({ data }) => data), there.ok ? there.states : null), column('What would have followed', fork.steps, fork.states)))
	}

	#tree(state) {
		const tree = new Tree()
		tree.onchange = () => tree.show(state)
		tree.show(state)
		return tree.element
	}

	/** The steps of the same loop after the chosen one, as far as they follow each other. */
	#following(row) {
		const steps = this.#app.time.rows.filter(other => other.kind === 'step' && !other.isGone && other.loop === row.loop && other.data.step > row.data.step)
			.sort((a, b) => a.data.step - b.data.step).slice(0, mostFollowing)
		const gap = steps.findIndex((other, index) => other.data.step !== row.data.step + 1 + index)
		// Delays run by themselves, and no client can send their events.
		return (gap < 0 ? steps : steps.slice(0, gap)).filter(({ data }) => !data.origin?.startsWith('after:'))
	}
}
