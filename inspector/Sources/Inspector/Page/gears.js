import { panel } from './dom.js'
export class GearsView { element = panel('Gears', {}); constructor(app) {} draw() {} }
