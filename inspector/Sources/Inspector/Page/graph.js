import { panel } from './dom.js'
export class GraphView { element = panel('Graph', {}); constructor(app) {} draw() {} }
