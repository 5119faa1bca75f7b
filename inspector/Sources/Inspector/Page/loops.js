// Loops: what is. Each loop with its state; in a wide window also what happened, and why.
import { count, empty, h, json, listOf, panel, plural, search, setAttribute, setText, valueAt } from './dom.js'
import { Detail } from './detail.js'
import { EventList } from './events.js'
import { Tree, changes, spark } from './tree.js'

const mostPoints = 120

/** Reads the states while somebody looks: at most four times a second, and less often when that takes long. */
class States {
	states = []
	changed = new Map()
	version = 0
	#app
	#next = 0
	#asking = false
	#seen = -1

	constructor(app) { this.#app = app }

	/** Asks again if something has happened. */
	refresh() {
		const now = performance.now()
		if (this.#asking || !this.#app.isUp || this.#seen === this.#app.store.version) return
		if (now < this.#next) { this.#app.requestDraw(this.#next - now); return }
		this.#asking = true
		this.#seen = this.#app.store.version
		this.#app.ask({ request: 'state' }).then(answer => {
			this.#asking = false
			if (answer.ok) this.#take(answer.states)
			else this.#seen = -1
			this.#next = performance.now() + Math.max(250, (performance.now() - now) * 5)
			this.#app.requestDraw()
		})
	}

	#take(states) {
		for (const { loop, step, state } of states) {
			const old = this.states.find(entry => entry.loop === loop)
			if (!old || old.step === step) continue
			const found = changes(old.state, state)
			if (Object.keys(found).length) this.changed.set(loop, found)
		}
		this.states = states
		this.version += 1
	}
}

/** The view of loops. */
export class LoopsView {
	element
	#app
	#states
	#cards = new Map()
	#body = h('div', { class: 'body' })
	#panel
	#empty = empty('No loop yet.', 'Each loop of the app is shown here with its state, as soon as the host is connected.')
	#list
	#detail
	#drawn = ''
	#query = search('Filter loops and fields', () => { this.#drawn = ''; this.#app.requestDraw() })

	constructor(app) {
		this.#app = app
		this.#states = new States(app)
		this.#panel = panel('Loops', { class: 'loops' }, h('div', { class: 'tools' }, this.#query), this.#body, this.#empty)
		this.#list = new EventList(app)
		this.#detail = new Detail(app)
		this.element = h('div', { class: 'columns three' }, this.#panel, h('div', { class: 'wide' }, this.#list.element), h('div', { class: 'wide' }, this.#detail.element))
	}

	focusFilter() { this.#query.focus() }

	draw() {
		const { time, store } = this.#app
		if (time.live) this.#states.refresh()
		const isWide = matchMedia('(min-width: 1000px)').matches
		if (isWide) { this.#list.draw(); this.#detail.draw() }
		const drawn = time.live ? `${this.#states.version} ${store.counted}` : `paused ${time.version}`
		if (drawn === this.#drawn) return
		this.#drawn = drawn
		const states = time.live ? this.#states.states : time.states ?? []
		setText(this.#panel.side, time.live ? 'now' : time.states ? `at @${count(time.position ?? 0)}` : time.error ? 'not known there' : time.row ? 'asking …' : 'paused')
		if (!time.live && !time.states) return
		const query = this.#query.value.trim().toLowerCase()
		const names = new Set()
		for (const { loop, step, state } of states) {
			names.add(loop)
			const card = this.#card(loop)
			card.element.hidden = query !== '' && !loop.toLowerCase().includes(query) && !json(state).toLowerCase().includes(query)
			const counter = store.counter(loop)
			setText(card.step, `#${count(step)}${time.live && counter ? ` · ${count(counter.queue ?? 0)} queued` : ''}`)
			setText(card.case, typeof state.case === 'string' ? state.case : '')
			card.case.hidden = typeof state.case !== 'string'
			setText(card.rate, time.live ? `${count(Math.round(store.rate(loop)))}/s` : '')
			card.faults.hidden = !counter?.faults
			setText(card.faults, `▲ ${plural(counter?.faults ?? 0, 'fault')}`)
			const rates = store.rates.get(loop) ?? []
			if (card.rates !== rates.length + rates.at(-1)) {
				card.rates = rates.length + rates.at(-1)
				card.spark.replaceChildren(spark(rates, `steps per second of ${loop}`))
			}
			const changed = time.live ? this.#states.changed.get(loop) ?? {} : time.row?.loop === loop ? time.row.data.changed ?? {} : {}
			card.tree.onchange = () => card.tree.show(state, changed)
			card.tree.show(state, changed)
			if (time.live) this.#collect(card, loop, state)
			this.#drawPins(card)
		}
		for (const [name, card] of this.#cards) if (!names.has(name)) { card.element.remove(); this.#cards.delete(name) }
		this.#empty.hidden = names.size > 0
	}
	#card(loop) {
		let card = this.#cards.get(loop)
		if (card) return card
		const pins = this.#pinned(loop)
		card = {
			loop, pins, points: new Map(), step: h('span', { class: 'mono dim' }), case: h('span', { class: 'pill accent' }),
			rate: h('span', { class: 'mono dim' }), faults: h('span', { class: 'pill bad' }), spark: h('span', {}), pinned: h('dl', { class: 'pins' }), rates: null,
		}
		card.tree = new Tree(pins, path => { this.#pin(card, path) })
		card.element = h('article', { class: 'card', 'aria-label': `Loop ${loop}` },
			h('div', { class: 'bar' }, h('h3', {}, loop), card.case, card.faults, card.step),
			h('div', { class: 'bar' }, card.rate, card.spark), card.pinned, card.tree.element)
		this.#cards.set(loop, card)
		this.#body.append(card.element)
		return card
	}

	#pinned(loop) {
		try { return new Set(JSON.parse(localStorage.getItem(`pins ${this.#app.name} ${loop}`) ?? '[]')) } catch { return new Set() }
	}

	#pin(card, path) {
		if (!card.pins.delete(path)) card.pins.add(path)
		try { localStorage.setItem(`pins ${this.#app.name} ${card.loop}`, JSON.stringify([...card.pins])) } catch { /* private windows have no storage */ }
		this.#drawPins(card)
	}

	#collect(card, loop, state) {
		for (const path of card.pins) {
			const value = valueAt(state, path)
			if (typeof value !== 'number' && typeof value !== 'bigint') continue
			const points = listOf(card.points, path)
			points.push(value)
			if (points.length > mostPoints) points.shift()
		}
	}

	#drawPins(card) {
		const key = [...card.pins].map(path => `${path} ${card.points.get(path)?.length} ${card.points.get(path)?.at(-1)}`).join()
		if (card.pinKey === key) return
		card.pinKey = key
		card.pinned.hidden = card.pins.size === 0
		card.pinned.replaceChildren(...[...card.pins].flatMap(path => [h('dt', {}, path),
			h('dd', {}, spark(card.points.get(path) ?? [], path, 160, 26), h('span', { class: 'mono' }, card.points.get(path)?.length ? count(card.points.get(path).at(-1)) : '–'))]))
		setAttribute(card.pinned, 'aria-label', 'Pinned fields')
	}
}
