// What the page knows of the app. Its memory is bounded: each list has a greatest length.
import { instant, json, listOf } from './dom.js'

export const mostRows = 5000
const mostLog = 2000
const mostMessages = 1000
const mostRuns = 300
const mostRunEvents = 100
const mostSamples = 120
/** The milliseconds over which rates of events are taken. */
const rateSpan = 5000

/** Cuts the oldest entries. It cuts rarely, to keep adding cheap. */
function bound(list, most) { if (list.length > most * 1.1) list.splice(0, list.length - most) }

/** The loop that a line is about, with the key of an instance: `order/A17`. */
export const loopOf = ({ loop, key }) => key === undefined ? loop : `${loop}/${key}`

/** Whether two lines are about the same loop, or the same instance. */
export const isSameLoop = (one, other) => one.loop === other.loop && one.key === other.key

/** What tells a step from all others. A key that has begun again counts from 1 again, so its steps need a position; null without one. */
export const nameOf = step => step.key === undefined ? `${step.loop} ${step.step}` : step.position === undefined ? null : `@${step.position}`

/** Whether a row is known to be older than a step. */
function isBefore({ kind, data }, { data: other }) {
	if (other.position !== undefined && data.position !== undefined) return data.position < other.position
	return kind === 'step' && other.key === undefined && data.loop === other.loop && data.step < other.step
}

/** The rows, runs, messages, log and counters of one app. */
export class Store {
	/** All that happened, the oldest first: steps, unhandled events, runs, faults, messages, swaps, gaps. */
	rows = []
	log = []
	messages = []
	/** Swaps, the newest first. */
	swaps = []
	/** The runs of each feedback by `loop/feedback`, the oldest first. */
	runs = new Map()
	counters = []
	/** How often counters have come. */
	counted = 0
	graph = null
	/** Steps per second of each loop, one number for each line of counters. */
	rates = new Map()
	/** The faults of each feedback by `loop/feedback`: how many this page has seen, and the last one. */
	faults = new Map()
	faultCount = 0
	/** Lines that the host left out. */
	skipped = 0
	/** The position of the newest entry; null if none is known. */
	position = null
	/** Counts changes, so that a view knows whether it must draw. */
	version = 0
	#next = 1
	#known = new Set()
	#lastCounters = null
	/** Rows with a greater id are of the present connection. */
	#session = 0
	/** Rows with a greater id were pushed since the host watches by the present filter. */
	#watched = 0

	/** Takes a pushed line. */
	take(line) {
		const [kind] = Object.keys(line)
		const data = line[kind]
		this.version += 1
		switch (kind) {
		case 'step': case 'unhandled': this.#add(kind, data); break
		case 'fault': this.#takeFault(data); this.#add(kind, data); break
		case 'run': this.#takeRun(data); this.#add(kind, data); break
		case 'message':
			this.messages.push(this.#add(kind, data))
			bound(this.messages, mostMessages)
			break
		case 'swap': this.#add(kind, data); this.takeSwap(data); break
		case 'skipped': this.#takeGap(data); break
		case 'log':
			this.log.push({ id: this.#next++, at: instant(data.time), ...data })
			bound(this.log, mostLog)
			break
		case 'counters': this.#takeCounters(data); break
		case 'ended': this.mark(`the app ended: ${data}`); break
		case 'restarted': this.begin(false, `the app runs again after: ${data}`); break
		default: if (line.error) this.mark(line.error.message)
		}
	}

	/** Adds a row that the page itself says, such as that the host has gone. */
	mark(text) {
		this.version += 1
		this.#add('note', { text })
	}

	/**
	 * Begins to take lines of a host that is connected again, or of an app that runs again. Rows stay readable. An app that runs
	 * again without a journal counts its steps from the start, so the host cannot say more about the rows before.
	 */
	begin(isSame, text) {
		if (!isSame && !this.total?.journal) {
			this.#known.clear()
			this.position = null
			for (const row of this.rows) row.isGone = true
		}
		if (!isSame) for (const runs of this.runs.values()) for (const run of runs) if (run.end === undefined) Object.assign(run, { state: 'cancelled', end: Date.now() })
		this.#lastCounters = null
		this.mark(text)
		this.#session = this.rows.at(-1).id
	}

	#add(kind, data) {
		const row = this.#row(kind, data)
		if (kind === 'step' && !this.#isNew(data)) return row
		this.rows.push(row)
		if (data.position !== undefined) this.position = Math.max(this.position ?? 0, data.position)
		if (this.rows.length > mostRows * 1.1) {
			for (const old of this.rows.splice(0, this.rows.length - mostRows)) this.#forget(old)
		}
		return row
	}

	#takeGap(count) {
		this.skipped += count
		const last = this.rows.at(-1)
		if (last?.kind === 'skipped') this.rows[this.rows.length - 1] = { ...last, data: { count: last.data.count + count } }
		else this.#add('skipped', { count })
	}

	#row(kind, data) {
		return { id: this.#next++, kind, data, loop: data.loop, at: data.time ? instant(data.time) : Date.now() }
	}

	/** Whether a step was not known; it is from now on. */
	#isNew(step) {
		const name = nameOf(step)
		if (this.#known.has(name)) return false
		if (name !== null) this.#known.add(name)
		return true
	}

	#forget(row) { if (row.kind === 'step' && !row.isGone) this.#known.delete(nameOf(row.data)) }

	/** The host pushes lines by another filter from now on, or again. */
	watchBegins() { this.#watched = this.#next - 1 }

	/**
	 * Takes steps of the past. Each comes to its place among those that were pushed. If the watch has no filter, those since
	 * its begin are not taken: the host pushes them or counts them as left out.
	 */
	takePast(steps, isWhole) {
		const first = id => {
			const index = this.rows.findIndex(row => row.id > id && row.kind !== 'note')
			return index < 0 ? this.rows.length : index
		}
		const start = first(this.#session)
		const end = isWhole ? first(this.#watched) : this.rows.length
		let at = this.rows.length
		for (const row of this.#unknown(steps).reverse()) {
			while (at > start && !isBefore(this.rows[at - 1], row)) at -= 1
			if (at > end) { this.#forget(row); continue }
			this.position = Math.max(this.position ?? 0, row.data.position ?? 0)
			this.rows.splice(at, 0, row)
		}
		this.version += 1
	}

	#unknown(steps) {
		return steps.filter(step => this.#isNew(step)).map(step => this.#row('step', step))
	}

	/** Rows for steps that a view keeps itself. */
	rowsOf(steps) { return steps.map(step => this.#row('step', step)) }

	/** Puts steps in place of a row that counts what was left out. The row stays for the lines that are still missing. */
	fillGap(gap, steps) {
		const index = this.rows.findIndex(row => row.id === gap.id)
		const found = this.#unknown(steps)
		const rest = (this.rows[index] ?? gap).data.count - found.length
		const rows = rest > 0 ? [{ ...gap, data: { count: rest, isRest: true } }] : []
		if (index >= 0) this.rows.splice(index, 1, ...found, ...rows)
		this.version += 1
		return [...found, ...rows]
	}

	/** Takes the outcome of a swap. The host pushes most outcomes before it answers. */
	takeSwap(swap) {
		if (json(swap) !== json(this.swaps[0])) this.swaps = [swap, ...this.swaps.slice(0, 19)]
	}

	#takeFault(data) {
		const key = `${data.loop}/${(data.origin ?? '').replace(/^feedback:/, '')}`
		this.faultCount += 1
		this.faults.set(key, { count: (this.faults.get(key)?.count ?? 0) + 1, code: data.code, message: data.message })
		const runs = this.runs.get(key)?.filter(run => run.instance === data.key)
		const run = runs?.findLast(run => run.end === undefined) ?? runs?.at(-1)
		if (run) run.fault = data.message
	}

	/**
	 * Events per second over the last seconds by `loop/event/NAME`, and by that and the origin.
	 * If the rows are those of all steps, lines that were left out count, too. Under a filter nothing says how many fitted.
	 */
	eventRates(isWhole) {
		const rates = new Map()
		const seen = new Map()
		const from = Date.now() - rateSpan
		for (let index = this.rows.length - 1; index >= 0 && this.rows[index].at >= from; index--) {
			const { kind, loop, data } = this.rows[index]
			if (kind !== 'step' && kind !== 'unhandled') continue
			const id = `${loop}/event/${data.event}`
			for (const key of [id, `${id} ${data.origin}`]) rates.set(key, (rates.get(key) ?? 0) + 1000 / rateSpan)
			if (kind === 'step') seen.set(loop, (seen.get(loop) ?? 0) + 1000 / rateSpan)
		}
		if (isWhole) for (const [key, rate] of rates) {
			const loop = key.split('/')[0]
			rates.set(key, rate * Math.max(1, this.rate(loop) / (seen.get(loop) ?? Infinity)))
		}
		return rates
	}

	#takeRun(data) {
		const key = `${data.loop}/${data.feedback}`
		const runs = listOf(this.runs, key)
		const at = instant(data.time)
		let run = runs.findLast(run => run.number === data.number && run.instance === data.key)
		if (!run || (data.state === 'began' && run.end !== undefined)) {
			run = { key, instance: data.key, number: data.number, cause: data.cause, begin: at - (data.took ?? 0) / 1e6, state: 'began', events: [], since: this.counted }
			runs.push(run)
			bound(runs, mostRuns)
		}
		if (data.state === 'began') return
		if (data.state === 'withdrawn' || data.state === 'late') { run.events.push({ state: data.state, event: data.event, at }); bound(run.events, mostRunEvents); return }
		run.state = data.state
		run.took = data.took
		run.end = data.took === undefined ? at : run.begin + data.took / 1e6
	}

	/** Takes the runs that last now, of which no line told. */
	takeRunning(runs) {
		for (const { loop, feedback, number, since } of runs) {
			const key = `${loop}/${feedback}`
			const list = listOf(this.runs, key)
			if (!list.some(run => run.number === number && run.end === undefined)) {
				list.push({ key, number, begin: since ? instant(since) : null, state: 'began', events: [], since: this.counted })
				bound(list, mostRuns)
			}
		}
		this.version += 1
	}

	#takeCounters(counters) {
		const now = performance.now()
		const last = this.#lastCounters
		for (const entry of counters) {
			const name = entry.loop ?? ''
			const before = last?.entries.find(old => (old.loop ?? '') === name)
			const rates = listOf(this.rates, name)
			if (before && now > last.at) rates.push(Math.max(0, (entry.steps - before.steps) / (now - last.at) * 1000))
			bound(rates, mostSamples)
			for (const feedback of entry.watched?.feedbacks ?? []) {
				const old = before?.watched?.feedbacks?.find(old => old.feedback === feedback.feedback)
				this.#endRuns(this.runs.get(`${name}/${feedback.feedback}`) ?? [], feedback.running)
				feedback.rate = old ? Math.max(0, (feedback.began - old.began) / (now - last.at) * 1000) : 0
			}
		}
		this.#lastCounters = { at: now, entries: counters }
		this.counters = counters
		this.counted += 1
		const journal = this.total?.journal
		if (journal) this.position = journal.position
	}

	/** Ends the oldest runs if fewer are running: the host has left out the lines of their ends. Runs since the last counters are too new to tell. */
	#endRuns(runs, running) {
		const open = runs.filter(run => run.end === undefined && run.since < this.counted)
		for (const run of open.slice(0, Math.max(0, open.length - running))) Object.assign(run, { state: 'ended', end: Date.now() })
	}

	/** The counters of the whole app. */
	get total() { return this.counters.find(entry => entry.app !== undefined) }

	/** The counters of a loop. */
	counter(loop) { return this.counters.find(entry => entry.loop === loop) }

	/** The newest steps per second of a loop; of the app if the name is empty. */
	rate(loop = '') { return this.rates.get(loop)?.at(-1) ?? 0 }

	/** The names of the loops in the order of the manifest. */
	get loops() { return (this.graph?.groups ?? []).filter(group => !group.id.includes('/') && !group.group).map(group => group.id) }

	/** The nodes of a kind, such as `event` or `feedback`. Each gets its loop and name. */
	nodes(kind) {
		return (this.graph?.nodes ?? []).filter(node => node.kind === kind)
			.map(node => ({ ...node, loop: node.id.split('/')[0], name: node.text[0] }))
	}
}
