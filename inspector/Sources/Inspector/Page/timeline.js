// Timeline: the runs of each feedback over time, one lane for each.
import { clock, count, duration, empty, h, note, panel, part, plural, search, setAttribute, setText, svg } from './dom.js'

const windows = [['5 s', 5e3], ['30 s', 3e4], ['5 min', 3e5], ['1 h', 3.6e6]]
const words = { began: 'runs', ended: 'ended', cancelled: 'cancelled' }
const signs = { cancelled: '✕', withdrawn: '↶', late: '»' }
const most = 300
/** The milliseconds between two pictures. */
const interval = 100

/** Which instance a run is of, if its loop has a key. */
const of = ({ instance }) => instance === undefined ? '' : ` of ${instance}`

/** The view of runs. */
export class TimelineView {
	element
	#app
	#lanes = new Map()
	#body = h('div', { class: 'body lanes' })
	#span = windows[1][1]
	#choice = h('select', { 'aria-label': 'Shown time', onchange: () => { this.#span = Number(this.#choice.value); this.#app.requestDraw() } }, windows.map(([text, value]) => h('option', { value }, text)))
	#query = search('Filter feedbacks', () => this.#app.requestDraw())
	#axis = h('div', { class: 'axis mono dim', 'aria-hidden': 'true' })
	#empty = empty('No run yet.', 'Each feedback that runs gets a lane here: when its runs began, ended, were cancelled, or came too late.', 'A feedback runs when the state or an event asks for it.')
	#detail = h('div', { class: 'body' })
	#panel
	#chosen = null
	#side = ''
	#drawn = ''
	#last = 0

	constructor(app) {
		this.#app = app
		this.#choice.value = this.#span
		this.#panel = panel('Timeline', {}, h('div', { class: 'tools' }, this.#query, h('label', {}, 'last ', this.#choice),
			h('span', { class: 'dim legend' }, '▬ ended  ▭ runs  ✕ cancelled  ↶ withdrawn  » late  ▲ failed')), this.#body, this.#empty)
		this.#body.append(this.#axis)
		this.element = h('div', { class: 'columns two' }, this.#panel, panel('Runs', { class: 'detail' }, this.#detail))
	}

	focusFilter() { this.#query.focus() }

	draw() {
		const { store, time } = this.#app
		const query = this.#query.value.trim().toLowerCase()
		const drawn = `${time.version} ${query} ${this.#span} ${this.#chosen} ${this.#body.clientWidth}`
		const wait = this.#last + interval - performance.now()
		if (drawn === this.#drawn && wait > 0) return this.#app.requestDraw(wait)
		this.#drawn = drawn
		this.#last = performance.now()
		const end = time.live ? Math.max(Date.now(), store.rows.at(-1)?.at ?? 0) : (time.row?.at ?? Date.now()) + this.#span / 10
		const begin = end - this.#span
		this.#empty.hidden = store.runs.size > 0
		this.#body.hidden = store.runs.size === 0
		setText(this.#panel.side, time.live ? 'live' : `paused at ${clock(time.row?.at)}`)
		const width = Math.max(120, this.#body.clientWidth - 178)
		const x = at => Math.max(0, Math.min(width, (at - begin) / this.#span * width))
		this.#axis.replaceChildren(h('span', {}, clock(begin).slice(0, 8)), h('span', {}, clock(end).slice(0, 8)))
		for (const [key, runs] of store.runs) {
			const lane = this.#lane(key)
			lane.element.hidden = !key.toLowerCase().includes(query)
			if (lane.element.hidden) continue
			const shown = runs.filter(run => (run.end ?? Infinity) >= begin && (run.begin ?? 0) <= end).slice(-most)
			setText(lane.count, plural(shown.length, 'run'))
			setAttribute(lane.button, 'aria-pressed', this.#chosen === key)
			setAttribute(lane.picture, 'width', width)
			const now = Math.min(end, Math.max(Date.now(), store.rows.at(-1)?.at ?? 0))
			lane.picture.replaceChildren(...this.#apart(shown, x, now).flatMap(run => this.#shapes(run, x, begin, now)), ...(time.live ? [] : [svg('line', { class: 'now', x1: x(time.row?.at), x2: x(time.row?.at), y1: 0, y2: 20 })]))
		}
		this.#drawSide()
		if (time.live && this.#app.isUp && !document.hidden) this.#app.requestDraw(interval)
	}

	#lane(key) {
		let lane = this.#lanes.get(key)
		if (lane) return lane
		const number = h('span', { class: 'dim' })
		lane = { count: number, picture: svg('svg', { height: 20, 'aria-hidden': 'true' }) }
		lane.button = h('button', { class: 'link mono', title: key, onclick: () => { this.#chosen = key; this.#side = ''; this.#app.requestDraw() } }, key)
		lane.element = h('div', { class: 'lane' }, h('span', { class: 'who' }, lane.button, number), lane.picture)
		this.#lanes.set(key, lane)
		const after = [...this.#lanes.keys()].sort().indexOf(key)
		this.#body.insertBefore(lane.element, this.#body.children[after] ?? this.#axis)
		return lane
	}

	/** Leaves out runs that would be drawn over each other, unless they have a sign. */
	#apart(runs, x, now) {
		let right = -1
		return runs.filter(run => {
			const to = Math.round(x(run.end ?? now))
			if (to === right && !run.fault && !run.events.length && run.state === 'ended') return false
			right = to
			return true
		})
	}

	#shapes(run, x, begin, now) {
		const from = x(run.begin ?? begin)
		const to = Math.max(from + 2, x(run.end ?? now))
		const failed = run.fault
		const text = `run ${count(run.number)}${of(run)} ${failed ? 'failed' : words[run.state]}${run.took === undefined ? '' : `, ${duration(run.took)}`}${run.cause ? `, by ${run.cause}` : ''}`
		const sign = failed ? '▲' : signs[run.state]
		return [
			svg('rect', { class: `run ${failed ? 'failed' : run.state}`, x: from, y: 4, width: to - from, height: 12, rx: 2 }, svg('title', {}, text)),
			sign ? svg('text', { class: failed ? 'failed' : '', x: Math.min(to + 2, x(Infinity) - 10), y: 15 }, sign) : null,
			...run.events.map(event => svg('text', { x: x(event.at), y: 14 }, signs[event.state], svg('title', {}, `${event.event} ${event.state}`))),
		].filter(Boolean)
	}

	#drawSide() {
		const { store } = this.#app
		const runs = store.runs.get(this.#chosen)
		const key = runs ? `${this.#chosen} ${runs.length} ${runs.at(-1)?.number} ${runs.at(-1)?.state}` : 'none'
		if (this.#side === key) return
		this.#side = key
		if (!runs) return this.#detail.replaceChildren(empty('No lane is chosen.', 'Choose the name of a feedback to see its last runs in words.'))
		const list = runs.slice(-100).reverse()
		const failed = list.filter(run => run.fault).length
		this.#detail.replaceChildren(part(h('h3', {}, this.#chosen), note(`${plural(list.length, 'run')} here, ${count(failed)} failed`),
			h('ul', { class: 'causes mono' }, list.map(run => h('li', {}, `${run.begin === null ? 'before' : clock(run.begin)} run ${count(run.number)}${of(run)} `,
				h('span', { class: run.fault ? 'bad' : 'dim' }, `${run.fault ? '▲ failed' : words[run.state]}${run.took === undefined ? '' : ` ${duration(run.took)}`}${run.cause ? ` ← ${run.cause}` : ''}${run.events.map(event => `, ${event.event} ${event.state}`).join('')}`))))))
	}
}
