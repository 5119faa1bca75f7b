// The page: connection, header, routes and keys. It draws at most once in a frame of the browser.
import { Connection } from './connection.js'
import { announce, count, h, plural, setAttribute, setText } from './dom.js'
import { EventsView } from './events.js'
import { Filter } from './filter.js'
import { GearsView } from './gears.js'
import { GraphView } from './graph.js'
import { LogView } from './log.js'
import { LoopsView } from './loops.js'
import { PluginsView } from './plugins.js'
import { SendView } from './send.js'
import { Store } from './store.js'
import { Time, TimeBar } from './time.js'
import { TimelineView } from './timeline.js'
import { TimeView } from './travel.js'

const routes = [
	['loops', 'Loops', 'l', LoopsView], ['events', 'Events', 'e', EventsView], ['graph', 'Graph', 'g', GraphView],
	['timeline', 'Timeline', 't', TimelineView], ['gears', 'Gears', 'm', GearsView], ['plugins', 'Plugins', 'p', PluginsView],
	['time', 'Time', 'd', TimeView], ['log', 'Log', 'o', LogView], ['send', 'Send', 's', SendView],
]
const byId = id => document.getElementById(id)

/** What all views share. */
class App {
	store = new Store()
	time = new Time(this)
	filter = new Filter(this)
	name = ''
	write = false
	host = { state: 'down', reason: 'connecting' }
	link = 'closed'
	#connection = null
	#views = new Map()
	#view = null
	#route = ''
	#frame = 0
	#timer = 0
	#bar = new TimeBar(this, byId('time'))

	start() {
		const token = takeToken()
		this.#drawNav()
		addEventListener('hashchange', () => { if (location.hash.startsWith('#t=')) location.reload(); else if (location.hash.startsWith('#/')) this.#show() })
		addEventListener('resize', () => this.requestDraw())
		addEventListener('keydown', event => this.#key(event))
		document.addEventListener('visibilitychange', () => this.requestDraw())
		this.#show()
		if (!token) return this.#refused('This address has no token.')
		this.#connection = new Connection(token, {
			line: line => { this.store.take(line); if (line.swap?.manifest || line.restarted) this.#load(); this.requestDraw() },
			host: host => this.#takeHost(host),
			link: (state, about) => this.#takeLink(state, about),
		})
	}

	get isUp() { return this.link === 'open' && this.host.state === 'up' }

	/** Asks the host. The answer always comes. */
	ask(request) { return this.#connection ? this.#connection.ask(request) : Promise.resolve({ ok: false, error: { code: 'no-inspector', message: 'not connected' } }) }

	/** Watches all that happens; steps only if the filter holds. */
	async watch(filter = null) {
		const answer = await this.ask({ request: 'watch', steps: true, runs: true, faults: true, gears: true, log: true, swaps: true, counters: '1s', ...(filter ? { filter } : {}) })
		if (answer.ok) this.store.watchBegins()
		return answer
	}

	/** Draws in the next frame, or after some milliseconds. */
	requestDraw(after = 0) {
		if (after > 0) {
			this.#timer ||= setTimeout(() => { this.#timer = 0; this.requestDraw() }, after)
			return
		}
		this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw() })
	}

	/** Shows a view, and filters its rows. */
	go(route, filter) {
		location.hash = `#/${route}`
		this.#show()
		if (filter !== undefined) this.filter.set(filter)
	}

	async #takeHost(host) {
		const was = this.host
		this.host = host
		if (host.state === 'up') {
			if (this.#pid) this.store.begin(host.pid === this.#pid, `the host is connected again: process ${host.pid}`)
			this.#pid = host.pid
			this.name = host.app
			await this.#load()
		} else if (was.state === 'up') this.store.mark(`the host has gone: ${host.reason}`)
		this.requestDraw()
	}

	/** Asks for all that the page shows. It is asked for again after each connection and each change of the manifest. */
	async #load() {
		const { cel } = this.filter
		const watching = this.watch(cel)
		const asked = Promise.all([{ request: 'graph' }, { request: 'steps', limit: 200, ...(cel && { filter: cel }) }, { request: 'runs' }, { request: 'counters' }].map(request => this.ask(request)))
		// Another manifest may not have what the filter names.
		const { error } = await watching
		if (error?.code === 'invalid-filter' && cel) {
			if (this.filter.cel === cel) this.filter.refuse(error)
			return this.#load()
		}
		const [graph, past, runs, counters] = await asked
		if (graph.ok) this.store.graph = graph
		if (past.ok) this.store.takePast(past.steps, !cel)
		if (runs.ok) this.store.takeRunning(runs.runs)
		if (counters.ok) this.store.take({ counters: counters.counters })
		if (!graph.ok && graph.error.code === 'not-begun') setTimeout(() => this.isUp && this.#load(), 500)
		this.requestDraw()
	}

	#takeLink(state, about) {
		this.link = state
		if (state === 'refused') {
			if (!this.store.rows.length) return this.#refused('The inspector does not know this token. It may have started again since.')
			this.store.mark('the inspector does not know this page any more')
			return this.requestDraw()
		}
		if (state === 'open') {
			if (this.write !== about.write) { this.write = about.write; this.#drawNav() }
		}
		else if (this.host.state === 'up') { this.host = { state: 'down', reason: 'the inspector does not answer' }; this.store.mark('the inspector has gone') }
		this.requestDraw()
	}

	#refused(text) {
		this.#isRefused = true
		const input = h('input', { type: 'text', 'aria-label': 'Address with token', placeholder: `http://${location.host}/#t=…`, autocomplete: 'off' })
		const form = h('form', { class: 'empty', onsubmit: event => {
			event.preventDefault()
			const [, token] = /t=([^&\s]+)/.exec(input.value) ?? [null, input.value.trim()]
			sessionStorage.setItem('token', token)
			location.reload()
		} }, h('p', {}, h('strong', {}, text)), h('p', {}, 'Paste the whole address that the inspector printed when it started:'), input, h('button', { type: 'submit' }, 'Open'))
		byId('view').replaceChildren(form)
		this.requestDraw()
	}

	#drawNav() {
		document.querySelector('nav').replaceChildren(...routes.filter(([id]) => id !== 'send' || this.write)
			.map(([id, title, key]) => h('a', { href: `#/${id}`, title: `${title} (g ${key})`, 'aria-current': this.#route === id && 'page' }, title)))
	}

	#show() {
		const [, name] = /^#\/(\w+)/.exec(location.hash) ?? []
		const [id, title, , View] = routes.find(([id]) => id === name) ?? routes[0]
		if (this.#route === id) return
		this.#route = id
		if (!this.#views.has(id)) this.#views.set(id, new View(this))
		this.#view = this.#views.get(id)
		if (!this.#isRefused) byId('view').replaceChildren(this.#view.element)
		byId('view').setAttribute('aria-label', title)
		for (const link of document.querySelectorAll('nav a')) setAttribute(link, 'aria-current', link.hash === `#/${id}` && 'page')
		announce(title)
		this.requestDraw()
	}

	#draw() {
		this.#drawHead()
		if (!this.#isRefused) this.#view.draw()
		this.#bar.draw()
	}

	#drawHead() {
		const { store, host } = this
		const isUp = this.isUp
		setText(byId('app'), this.name || 'spinhost')
		const title = `${isUp ? '' : '✕ '}${this.name || 'spinhost'} · spinhost`
		if (document.title !== title) document.title = title
		setText(byId('link'), isUp ? this.time.live ? '● live' : '❚❚ paused' : this.#isRefused ? '✕ no token' : '✕ no host')
		setAttribute(byId('link'), 'class', `pill ${isUp ? 'good' : 'bad'}`)
		setAttribute(byId('link'), 'title', isUp ? `process ${host.pid}, since ${host.since}` : host.reason)
		const total = store.total
		const journal = total?.journal
		const facts = [total && `${plural(store.loops.length, 'loop')}`, total && `${count(Math.round(store.rate()))} steps/s`, total && plural(total.steps, 'step'),
			total?.faults && `▲ ${plural(total.faults, 'fault')}`, store.skipped && `${count(store.skipped)} left out`,
			journal && (journal.broken ? '▲ journal broken' : `journal @${count(journal.position)}, ${count(journal.position - journal.durable)} not yet durable`)].filter(Boolean)
		const key = facts.join('|')
		if (this.#facts !== key) {
			this.#facts = key
			byId('facts').replaceChildren(...facts.map(text => h('span', { class: text.startsWith('▲') ? 'pill bad' : 'pill' }, text)))
		}
		byId('banner').hidden = isUp || this.#isRefused
		setText(byId('banner'), isUp ? '' : this.link === 'refused' ? '▲ The inspector has started again. What is here stays readable. To continue, open the address that it printed.'
			: `▲ ${this.link === 'closed' ? 'The inspector does not answer' : `No host: ${host.reason}`}. What is here stays readable. The page continues by itself when it can.`)
	}
	#facts = ''
	#pid = null
	#isRefused = false

	#key(event) {
		if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return
		const isTyping = event.target.closest('input:not([type=checkbox]):not([type=range]),textarea,select')
		if (isTyping) return
		if (this.#goes) {
			this.#goes = false
			const route = routes.find(([id, , key]) => key === event.key && (id !== 'send' || this.write))
			if (route) { event.preventDefault(); this.go(route[0]); byId('view').focus() }
			return
		}
		const act = {
			g: () => { this.#goes = true; clearTimeout(this.#going); this.#going = setTimeout(() => { this.#goes = false }, 2000) },
			'/': () => this.#view.focusFilter?.(),
			'?': () => this.#help(),
			' ': event.target.closest('button,summary,[role=button],input') ? null : () => this.time.toggle(),
			ArrowLeft: event.target.type === 'range' ? null : () => this.time.step(-1),
			ArrowRight: event.target.type === 'range' ? null : () => this.time.step(1),
			Escape: () => this.time.resume(),
		}[event.key]
		if (!act) return
		event.preventDefault()
		act()
	}
	#goes = false
	#going = 0

	#help() {
		const keys = [['space', 'pause, or follow again'], ['← →', 'one step back, one step on'], ['↑ ↓', 'another row in a list'], ['/', 'filter'], ['Esc', 'live again'],
			...routes.filter(([id]) => id !== 'send' || this.write).map(([, title, key]) => [`g ${key}`, title]), ['?', 'these keys']]
		const dialog = h('dialog', { 'aria-label': 'Keys', onclose: () => dialog.remove() }, h('div', { class: 'bar' }, h('h2', {}, 'Keys'),
			h('button', { onclick: () => dialog.close() }, 'Close')), h('dl', { class: 'keylist' }, keys.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)])))
		document.body.append(dialog)
		dialog.showModal()
	}
}

/** Takes the token from the address, so that it is not left there. It is kept for this tab alone. */
function takeToken() {
	const [, token] = /^#t=([^&]+)/.exec(location.hash) ?? []
	if (token) {
		sessionStorage.setItem('token', token)
		history.replaceState(null, '', '#/loops')
	}
	return sessionStorage.getItem('token')
}

new App().start()
