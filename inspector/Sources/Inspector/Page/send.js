// Send: an event for the app. Only an inspector that may write has this view.
import { clock, empty, h, json, panel, part, problem, written } from './dom.js'
import { loopOf } from './store.js'

const mostResults = 50

/** The view that sends events. */
export class SendView {
	element
	#app
	#event = h('select', { id: 'send-event', onchange: () => this.#template() })
	#key = h('input', { id: 'send-key', type: 'text', spellcheck: 'false', autocomplete: 'off' })
	#keyPart = h('p', {}, h('label', { for: 'send-key' }, 'Key of the instance'), ' ', this.#key)
	#payload = h('textarea', { id: 'send-payload', rows: '7', spellcheck: 'false' }, '{}')
	#hint = h('p', { class: 'dim' })
	#results = h('ol', { class: 'causes', role: 'log', 'aria-label': 'Results' })
	#form = h('form', { class: 'part', onsubmit: event => { event.preventDefault(); this.#send() } },
		h('p', {}, h('label', { for: 'send-event' }, 'Event'), ' ', this.#event),
		this.#keyPart,
		h('p', {}, h('label', { for: 'send-payload' }, 'Fields, as JSON')), this.#payload, this.#hint,
		h('p', {}, h('button', { type: 'submit', class: 'main' }, 'Send')))
	#empty = empty('No event can be sent yet.', 'The events of all loops are offered here, as soon as the host is connected.')
	#refused = empty('This inspector only reads.', 'Start it with `--write`, and this page can send events and swap plugins.')
	#graph = null

	constructor(app) {
		this.#app = app
		this.element = h('div', { class: 'columns' }, panel('Send', {}, this.#form, this.#empty, this.#refused, part(this.#results)))
	}

	draw() {
		const { store, write } = this.#app
		this.#refused.hidden = write
		this.#form.hidden = !write || !store.graph
		this.#empty.hidden = !write || Boolean(store.graph)
		if (this.#graph === store.graph) return
		this.#graph = store.graph
		const chosen = this.#event.value
		this.#event.replaceChildren(...store.loops.map(loop => h('optgroup', { label: loop }, store.nodes('event').filter(node => node.loop === loop)
			.map(node => h('option', { value: `${loop}/${node.name}` }, `${loop}: ${node.name}`)))))
		if (chosen) this.#event.value = chosen
		if (this.#event.selectedIndex < 0) this.#event.selectedIndex = 0
		this.#template()
	}

	/** Fills in the fields of the last such event, because the host does not name the fields. */
	#template() {
		const [loop, event] = this.#event.value.split('/')
		this.#keyPart.hidden = !this.#hasKey(loop)
		this.#key.required = this.#hasKey(loop)
		const row = this.#app.store.rows.findLast(row => row.loop === loop && row.data.event === event && row.data.payload)
		this.#payload.value = row ? json(row.data.payload, 2) : '{}'
		this.#hint.textContent = row ? 'These are the fields of the last such event.' : 'No such event has come yet. If a field is missing, the answer names it.'
	}

	#hasKey(loop) { return Boolean(this.#app.store.graph?.groups.find(group => group.id === loop)?.key) }

	async #send() {
		const [loop, event] = this.#event.value.split('/')
		const key = this.#hasKey(loop) ? { key: this.#key.value } : {}
		const { payload, error } = written(this.#payload.value)
		if (error) return this.#say(problem(error))
		const answer = await this.#app.ask({ request: 'send', loop, ...key, event, payload })
		this.#say(answer.ok ? h('span', {}, `${loopOf({ loop, ...key })}: ${event} ${answer.result}`) : problem(answer.error))
	}

	#say(element) {
		this.#results.prepend(h('li', {}, h('span', { class: 'dim mono' }, `${clock(Date.now())} `), element))
		while (this.#results.children.length > mostResults) this.#results.lastChild.remove()
	}
}
