// Graph: loops as they are wired. Events lead to the state, the state to feedbacks, and these to events again.
import { arrowHead, brief, count, dim, duration, empty, fields, h, note, pairs, panel, part, plural, problem, setAttribute, setText, svg } from './dom.js'
import { outcome } from './detail.js'

const [width, least, gapX, gapY, margin, line] = [158, 36, 74, 12, 16, 15]
const columns = { event: 0, state: 1, feedback: 2, message: 3 }

/**
 * A layered layout. Each loop is a frame with three columns; messages of gears are a column beside all frames.
 * Within a column, nodes are ordered by the middle of their neighbours, so that few arrows cross.
 */
function layout(graph) {
	const boxes = new Map()
	const frames = []
	const loopOf = id => id.split('/')[0]
	const loops = graph.groups.filter(group => !group.group)
	const ends = graph.edges.map(({ from, to }) => [boxId(from), boxId(to)])
	let top = margin
	for (const loop of loops) {
		const nodes = graph.nodes.filter(node => loopOf(node.id) === loop.id && node.kind !== 'message')
		const cases = nodes.filter(node => node.kind === 'state')
		const state = { id: `${loop.id}/state`, kind: 'state', text: cases.length === 1 && cases[0].text[0] === 'state' ? cases[0].text : ['state', ...cases.map(node => node.text[0])], cases: cases.map(node => node.text[0]) }
		const columnsOf = [nodes.filter(node => node.kind === 'event'), [state], nodes.filter(node => node.kind === 'feedback')]
		order(columnsOf, ends)
		const heights = columnsOf.map(column => column.reduce((sum, node) => sum + high(node) + gapY, -gapY))
		const height = Math.max(...heights, least)
		columnsOf.forEach((column, index) => {
			let y = top + 34 + (height - heights[index]) / 2
			for (const node of column) {
				boxes.set(node.id, { ...node, loop: loop.id, x: margin + 14 + index * (width + gapX), y, width, height: high(node) })
				y += high(node) + gapY
			}
		})
		frames.push({ ...loop, x: margin, y: top, width: 3 * width + 2 * gapX + 28, height: height + 48 })
		top += height + 48 + 2 * gapY
	}
	const messages = graph.nodes.filter(node => node.kind === 'message')
	const total = messages.length * (least + gapY)
	messages.forEach((node, index) => boxes.set(node.id, {
		...node, loop: '', x: margin + 3 * (width + gapX) + 28, y: Math.max(margin, (top - total) / 2) + index * (least + gapY), width, height: least,
	}))
	const right = messages.length ? margin + 4 * width + 3 * gapX + 28 : 3 * width + 2 * gapX + 28 + margin
	return { boxes, frames, width: right + margin, height: Math.max(top, total + 2 * margin) }
}

/** A case of a state lies in the box of the state. */
function boxId(id) {
	const [loop, kind] = id.split('/')
	return kind === 'state' ? `${loop}/state` : id
}

/** A text of a node, cut to some characters. The first line leaves room for the badge. */
function short(text, most) {
	const whole = brief(text, 99).slice(1, -1)
	return whole.length > most ? whole.slice(0, most - 1) + '…' : whole
}

const high = node => Math.max(least, node.text.length * line + 12)

/** Orders columns by the middle of the neighbours in the others, a few times. */
function order(columnsOf, ends) {
	for (let round = 0; round < 4; round++) {
		const places = new Map(columnsOf.flatMap(column => column.map((node, index) => [node.id, column.length > 1 ? index / (column.length - 1) : 0.5])))
		const column = columnsOf[round % 2 ? 0 : 2]
		const middle = new Map(column.map(node => {
			const near = ends.flatMap(([from, to]) => from === node.id ? [places.get(to)] : to === node.id ? [places.get(from)] : [])
				.filter((place, index, all) => place !== undefined && all.indexOf(place) === index)
			return [node.id, near.length ? near.reduce((sum, place) => sum + place, 0) / near.length : places.get(node.id)]
		}))
		column.sort((a, b) => middle.get(a.id) - middle.get(b.id))
	}
}

/** The path of an arrow between two boxes. An arrow back begins lower and ends lower, beside the arrow onwards. */
function path(from, to, frames) {
	if (from.kind === 'message') {
		// Around the frame: along its upper edge, and down its left side.
		const frame = frames.find(frame => frame.id === to.loop)
		const [channel, left, end] = [frame.y - 7 - (from.y % 5), frame.x + 5, to.y + to.height / 2]
		return `M${from.x + from.width / 2},${channel > from.y ? from.y + from.height : from.y} V${channel} H${left} V${end} H${to.x}`
	}
	const isBack = to.x < from.x
	const [x1, y1] = [isBack ? from.x : from.x + from.width, from.y + from.height * (isBack ? 0.72 : 0.5)]
	const [x2, y2] = [isBack ? to.x + to.width : to.x, to.y + to.height * (isBack ? 0.72 : 0.38)]
	const reach = Math.max(34, Math.abs(x2 - x1) / 2.4) * (isBack ? -1 : 1)
	return `M${x1},${y1} C${x1 + reach},${y1} ${x2 - reach},${y2} ${x2},${y2}`
}

/** The view of the graph. */
export class GraphView {
	element
	#app
	#canvas = h('div', { class: 'canvas scroll' })
	#empty = empty('No graph yet.', 'The loops, their events, feedbacks and gears are drawn here, as soon as the host is connected.')
	#side = h('div', { class: 'body' })
	#graph = null
	#layout = null
	#shapes = new Map()
	#arrows = []
	#chosen = null
	#why = null
	#drawn = ''

	constructor(app) {
		this.#app = app
		this.element = h('div', { class: 'columns two' },
			panel('Graph', {}, this.#canvas, this.#empty), panel('Node', { class: 'detail' }, this.#side))
	}

	draw() {
		const { store } = this.#app
		this.#empty.hidden = Boolean(store.graph)
		if (!store.graph) return
		if (this.#graph !== store.graph) this.#build(store.graph)
		const drawn = `${store.counted} ${store.faultCount} ${this.#chosen} ${this.#why?.key}`
		if (drawn === this.#drawn) return
		this.#drawn = drawn
		const rates = store.eventRates(!this.#app.filter.cel)
		for (const [id, shape] of this.#shapes) this.#update(id, shape, rates)
		for (const { edge, element } of this.#arrows) {
			const rate = this.#rateOf(edge, rates)
			setAttribute(element, 'stroke-width', (1.2 + Math.min(5, Math.log2(1 + rate) / 2)).toFixed(1))
			setAttribute(element, 'data-on', this.#chosen && [boxId(edge.from), boxId(edge.to)].includes(this.#chosen) ? 'yes' : null)
			setText(element.firstChild, `${edge.from} → ${edge.to}${edge.label ? `: ${edge.label}` : ''}${rate ? `, ${count(rate)}/s` : ''}`)
		}
		this.#drawSide(rates)
	}

	#build(graph) {
		this.#graph = graph
		this.#layout = layout(graph)
		const { boxes, frames, width: wide, height } = this.#layout
		// Another manifest makes other nodes. The focus stays at the one of the same name.
		const focused = [...this.#shapes].find(([, { shape }]) => shape === document.activeElement)?.[0]
		this.#shapes.clear()
		this.#drawn = ''
		this.#arrows = graph.edges.map(edge => ({ edge, from: boxes.get(boxId(edge.from)), to: boxes.get(boxId(edge.to)) }))
			.filter(({ from, to }) => from && to && from !== to)
			.map(({ edge, from, to }) => ({ edge, element: svg('path', { class: `edge${to.x < from.x ? ' back' : ''}`, d: path(from, to, frames), 'stroke-dasharray': edge.dashed && '4 4', 'marker-end': 'url(#arrow)' }, svg('title', {})) }))
		const nodes = [...boxes.values()].sort((a, b) => a.loop.localeCompare(b.loop) || columns[a.kind] - columns[b.kind] || a.y - b.y).map(box => {
			const badge = svg('text', { class: 'badge', x: box.width - 8, y: 15, 'text-anchor': 'end' })
			const shape = svg('g', { class: `node ${box.kind}`, transform: `translate(${box.x},${box.y})`, tabindex: '0', role: 'button',
				onclick: () => this.#choose(box.id), onkeydown: event => { if (['Enter', ' '].includes(event.key)) { event.preventDefault(); this.#choose(box.id) } } },
			svg('rect', { width: box.width, height: box.height, rx: { event: 17, state: 9 }[box.kind] ?? 4 }),
			box.text.map((text, index) => svg('text', { class: index ? 'more' : 'name', x: 10, y: (box.text.length === 1 ? box.height / 2 + 4.5 : 17) + index * line }, short(text, index ? 22 : 19))), badge, svg('title', {}, box.text.join('\n')))
			this.#shapes.set(box.id, { shape, badge, box })
			return shape
		})
		this.#canvas.replaceChildren(svg('svg', { width: wide, height, viewBox: `0 0 ${wide} ${height}`, role: 'group', 'aria-label': 'Graph of the app' },
			arrowHead('arrow', 7),
			frames.map(frame => svg('g', {}, svg('rect', { class: 'frame', x: frame.x, y: frame.y, width: frame.width, height: frame.height, rx: 10 }),
				svg('text', { class: 'title', x: frame.x + 14, y: frame.y + 20 }, frame.title))),
			this.#arrows.map(({ element }) => element), nodes))
		this.#shapes.get(focused)?.shape.focus()
	}

	#choose(id) {
		this.#chosen = id
		this.#why = null
		const box = this.#layout.boxes.get(id)
		const [feedback] = box.text
		if (box.kind === 'feedback') Promise.all([{ request: 'why', feedback }, { request: 'runs' }].map(request => this.#app.ask({ ...request, loop: box.loop }))).then(([answer, { runs }]) => {
			if (this.#chosen !== id) return
			this.#why = { key: performance.now(), answer, args: new Map(runs?.filter(run => run.feedback === feedback).map(run => [run.number, run.args])) }
			this.#app.requestDraw()
		})
		this.#app.requestDraw()
	}

	#counter(box) { return this.#app.store.counter(box.loop)?.watched?.feedbacks.find(entry => entry.feedback === box.text[0]) }

	/** Events per second on an arrow. */
	#rateOf({ from, to }, rates) {
		const [source, target] = [this.#layout.boxes.get(boxId(from)), this.#layout.boxes.get(boxId(to))]
		if (source.kind === 'event') return target.kind === 'feedback' ? Math.min(rates.get(from) ?? 0, this.#counter(target)?.rate ?? 0) : rates.get(from) ?? 0
		if (target.kind === 'event') return rates.get(`${to} ${source.kind === 'feedback' ? `feedback:${source.text[0]}` : `gear:${source.text[0]}`}`) ?? 0
		if (target.kind === 'feedback') return this.#counter(target)?.rate ?? 0
		return source.kind === 'feedback' ? this.#counter(source)?.rate ?? 0 : 0
	}

	#update(id, { shape, badge, box }, rates) {
		const { store } = this.#app
		const faults = store.faults.get(id.replace('/feedback/', '/'))?.count ?? 0
		const counter = box.kind === 'feedback' ? this.#counter(box) : null
		const rate = box.kind === 'event' ? rates.get(id) ?? 0 : box.kind === 'state' ? store.rate(box.loop) : counter?.rate ?? 0
		const isDisabled = box.kind === 'feedback' && box.text.at(-1) === 'disabled'
		const text = faults ? `▲ ${count(faults)}` : isDisabled ? 'off' : counter?.running ? `↻ ${count(counter.running)}` : rate >= 0.05 ? `${count(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate))}/s` : ''
		setText(badge, text)
		setAttribute(shape, 'data-fault', faults ? 'yes' : null)
		setAttribute(shape, 'data-disabled', isDisabled ? 'yes' : null)
		setAttribute(shape, 'aria-pressed', this.#chosen === id)
		setAttribute(shape, 'aria-label', `${box.kind} ${box.loop ? `${box.loop}/` : ''}${box.text[0]}${faults ? `, ${plural(faults, 'fault')}` : ''}${isDisabled ? ', disabled' : ''}`)
	}

	#drawSide(rates) {
		const box = this.#layout.boxes.get(this.#chosen)
		if (!box) return this.#side.replaceChildren(empty('No node is chosen.', 'Choose a feedback to see its condition, what runs, and why it did or did not run. Wide arrows carry many events.'))
		const arrows = this.#graph.edges.filter(edge => boxId(edge.from) === box.id || boxId(edge.to) === box.id)
		const facts = []
		if (box.kind === 'feedback') {
			const counter = this.#counter(box)
			const answer = this.#why?.answer
			if (box.text[1]) facts.push(['effect', h('span', { class: 'mono' }, box.text[1])])
			if (answer?.ok) facts.push(answer.when && ['when', h('span', { class: 'mono' }, answer.when)], ['now', outcome(answer), dim(` (at #${count(answer.step)})`)],
				['running', answer.running.length ? answer.running.map(run => `run ${count(run)} ${fields(this.#why.args.get(run), 200)}`).join(', ') : 'nothing'])
			if (counter) facts.push(['runs', `${count(counter.began)} began, ${count(counter.ended)} ended, ${count(counter.cancelled)} cancelled, ${count(counter.failed)} failed`],
				['took', `p50 ${duration(counter.p50)}, p99 ${duration(counter.p99)}, longest ${duration(counter.longest)}`])
			const fault = this.#app.store.faults.get(`${box.loop}/${box.text[0]}`)
			if (fault) facts.push(['last fault', h('span', { class: 'bad' }, `▲ ${fault.code}: ${fault.message}`)])
		} else if (box.kind === 'event') facts.push(['rate', `${count(rates.get(box.id) ?? 0)}/s`])
		else if (box.kind === 'state') facts.push(['steps', count(this.#app.store.counter(box.loop)?.steps ?? 0)], ['rate', `${count(this.#app.store.rate(box.loop))}/s`])
		const filter = { feedback: `loop:${box.loop} feedback:${box.text[0]}`, event: `loop:${box.loop} event:${box.text[0]}`, state: `loop:${box.loop}`, message: `kind:message event:${box.text[0].split('.').at(-1)}` }[box.kind]
		const focused = this.#side.contains(document.activeElement)
		this.#side.replaceChildren(
			part(h('h3', {}, box.text[0]), note(`${box.kind}${box.loop ? ` of ${box.loop}` : ''}`), pairs(facts), this.#why && !this.#why.answer.ok ? problem(this.#why.answer.error) : ''),
			part(h('h3', { class: 'title' }, 'Arrows'), arrows.length ? h('ul', { class: 'causes mono' }, arrows.map(edge => h('li', {},
				boxId(edge.to) === box.id ? `← ${edge.from}` : `→ ${edge.to}`, edge.label ? dim(` ${edge.label}`) : '', edge.dashed ? dim(' (off)') : ''))) : note('none')),
			h('div', { class: 'part buttons' }, h('button', { onclick: () => this.#app.go('events', filter) }, 'Show its events')))
		if (focused) this.#side.querySelector('button')?.focus()
	}
}
