// Gears: the messages between loops as a sequence diagram. Each loop is a column.
import { arrowHead, clock, empty, fields, h, nothingFits, pairs, panel, part, plural, search, setText, showList, svg, valueElement } from './dom.js'
import { senders } from './detail.js'
import { RowList } from './list.js'

const [clockWidth, least] = [96, 110]

/** The view of gears. */
export class GearsView {
	element
	#app
	#list = new RowList()
	#query = search('Filter messages', () => { this.#drawn = ''; this.#app.requestDraw() })
	#head = h('div', { class: 'actors' })
	#empty = empty('No message yet.', 'Messages that loops send each other are arrows here, from the loop that sends to those that receive.', 'A feedback sends with `send = { gear = …, message = … }`, and a loop receives with `receive`.')
	#none = nothingFits()
	#detail = h('div', { class: 'body' })
	#panel
	#drawn = ''
	#width = least
	#graph = null
	#chosen = null

	constructor(app) {
		this.#app = app
		this.#list.setAttribute('aria-label', 'Messages')
		this.#list.height = 34
		this.#list.classList.add('messages')
		this.#list.render = (element, row) => this.#render(element, row)
		this.#list.onchoose = row => { this.#chosen = row; app.time.select(row); this.#drawSide() }
		this.#list.onleave = () => app.time.live && app.time.pause()
		this.#panel = panel('Gears', {}, h('div', { class: 'tools' }, this.#query), h('div', { class: 'scroll sequence' }, this.#head, svg('svg', { width: 0, height: 0, 'aria-hidden': 'true' }, arrowHead('message', 8)), this.#list), this.#none, this.#empty)
		this.element = h('div', { class: 'columns two' }, this.#panel, panel('Message', { class: 'detail' }, this.#detail))
		this.#drawSide()
	}

	focusFilter() { this.#query.focus() }

	draw() {
		const { store, time } = this.#app
		const wide = this.#head.parentNode.clientWidth
		const drawn = `${time.live ? `live ${store.messages.at(-1)?.id}` : time.version} ${wide}`
		if (drawn === this.#drawn && this.#graph === store.graph) return
		this.#drawn = drawn
		const query = this.#query.value.trim().toLowerCase()
		const all = time.live ? store.messages : time.rows.filter(row => row.kind === 'message')
		const messages = !query ? all.slice() : all.filter(({ data }) => `${data.gear}.${data.message} ${fields(data.payload, 2000)}`.toLowerCase().includes(query))
		const loops = store.loops
		const width = Math.max(least, (wide - clockWidth - 16) / Math.max(1, loops.length))
		if (width !== this.#width || this.#graph !== store.graph) { this.#width = width; this.#graph = store.graph; this.#list.show([]) }
		setText(this.#panel.side, plural(messages.length, 'message'))
		showList(this.#head.parentNode, messages, all, this.#none, this.#empty)
		this.#head.style.width = this.#list.style.width = `${clockWidth + width * loops.length + 16}px`
		this.#head.replaceChildren(...loops.map((loop, index) => {
			const actor = h('b', { title: loop }, loop)
			actor.style.left = `${clockWidth + width * index}px`
			actor.style.width = `${width}px`
			return actor
		}))
		this.#list.following = time.live
		this.#list.show(messages)
	}

	/** The loops that send and receive a message, by the graph. */
	#ends({ gear, message }) {
		const { store } = this.#app
		const from = [...new Set(senders(store, gear, message).map(({ loop }) => loop))]
		const to = [...new Set((store.graph?.edges ?? []).filter(edge => edge.from === `gear/${gear}/${message}`).map(edge => edge.to.split('/')[0]))]
		return { from, to }
	}

	#render(element, row) {
		const { loops } = this.#app.store
		const { from, to } = this.#ends(row.data)
		const x = loop => clockWidth + this.#width * (loops.indexOf(loop) + 0.5)
		const width = clockWidth + this.#width * loops.length
		const starts = from.map(x), ends = to.map(x)
		const arrows = starts.flatMap(start => ends.map(end => start === end
			? `M${start},20 h26 v8 h-22` : `M${start},24 L${end + (end > start ? -3 : 3)},24`))
		const left = Math.min(...starts, ...ends), right = Math.max(...starts, ...ends)
		const label = `${row.data.gear}.${row.data.message}`
		element.setAttribute('aria-label', `${label} from ${from.join(' or ') || 'outside'} to ${to.join(', ') || 'nobody'}, ${fields(row.data.payload)}`)
		element.append(h('time', { class: 'dim', title: row.data.time }, clock(row.at)), svg('svg', { width, height: 34, 'aria-hidden': 'true' },
			loops.map(loop => svg('line', { class: 'life', x1: x(loop), x2: x(loop), y1: 0, y2: 34 })),
			arrows.map(d => svg('path', { class: 'call', d, 'stroke-dasharray': from.length > 1 && '4 3', 'marker-end': 'url(#message)' })),
			Number.isFinite(left) && svg('text', { x: left + 8, y: 16 }, `${label} ${fields(row.data.payload)}`.slice(0, Math.max(14, Math.floor((Math.max(right - left, width - left) - 12) / 7.4))))))
	}

	#drawSide() {
		const row = this.#chosen
		if (!row) return this.#detail.replaceChildren(empty('No message is chosen.', 'Click an arrow to see its fields, who sent it, and who received it.'))
		const { from, to } = this.#ends(row.data)
		this.#detail.replaceChildren(part(h('h3', {}, `${row.data.gear}.${row.data.message}`),
			pairs([['from', from.join(' or ') || 'outside'], ['to', to.join(', ') || 'nobody'],
				...Object.entries(row.data.payload ?? {}).map(([name, value]) => [name, valueElement(value)])])),
		h('div', { class: 'part buttons' }, h('button', { onclick: () => { this.#app.time.select(row); this.#app.go('events') } }, 'Show in Events')))
	}
}
