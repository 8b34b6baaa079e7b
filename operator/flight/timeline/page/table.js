/**
 * The same items as a table, in pages: for screen readers, for searching in the page, and for copying.
 *
 * @import { Model } from './model.js'
 */
import { button, byId, make } from './dom.js';
import { KIND_NAMES } from './model.js';
import { clockWords, spanWords, wallAt } from './time.js';

/** Rows of one page: as many as a browser lays out at once without delay. */
const PAGE = 200;

const HEADS = ['Time (UTC)', 'Where', 'Key or source', 'What', 'Took', 'In words'];

export class EventTable {
  /** @type {Model} */
  #model;
  /** @type {(index: number) => void} */
  #open;
  #page = 0;

  /**
   * @param {Model} model
   * @param {(index: number) => void} open - called with the item whose button is pressed
   */
  constructor(model, open) {
    this.#model = model;
    this.#open = open;
    byId('page-before').addEventListener('click', () => this.#turn(-1));
    byId('page-after').addEventListener('click', () => this.#turn(1));
  }

  /** Shows the page with the selected item. */
  show() {
    const place = this.#model.shown.indexOf(this.#model.selected ?? -1);
    if (place >= 0) this.#page = Math.floor(place / PAGE);
    this.#fill();
  }

  /** Marks the selected item, without turning the page. */
  mark() {
    for (const row of byId('table-body').children) {
      const isSelected =
        row instanceof HTMLElement && row.dataset.item === String(this.#model.selected);
      row.toggleAttribute('aria-current', isSelected);
    }
  }

  /** @param {number} index */
  focus(index) {
    const row = byId('table-body').querySelector(`[data-item="${index}"] button`);
    if (row instanceof HTMLElement) row.focus();
  }

  /** @param {1 | -1} step */
  #turn(step) {
    this.#page += step;
    this.#fill();
    byId('table-scroller').scrollTop = 0;
  }

  #fill() {
    const { shown } = this.#model;
    const last = Math.max(0, Math.ceil(shown.length / PAGE) - 1);
    this.#page = Math.min(Math.max(0, this.#page), last);
    const first = this.#page * PAGE;
    const page = shown.slice(first, first + PAGE);
    byId('table-body').replaceChildren(...page.map((index) => this.#row(index)));
    byId('table').setAttribute('aria-rowcount', String(shown.length + 1));
    const words =
      shown.length === 0
        ? 'no events'
        : `events ${first + 1} to ${first + page.length} of ${shown.length}`;
    byId('page-words').textContent = words;
    byId('page-before').toggleAttribute('disabled', this.#page === 0);
    byId('page-after').toggleAttribute('disabled', this.#page === last);
    this.mark();
  }

  /** @param {number} index */
  #row(index) {
    const item = this.#model.data.items[index];
    const line = make('tr');
    line.dataset.item = String(index);
    line.setAttribute('aria-rowindex', String(this.#model.shown.indexOf(index) + 2));
    if (item === undefined) return line;
    const row = this.#model.rowOf(item);
    const took = item.to === undefined || item.to === item.at ? '' : spanWords(item.to - item.at);
    const time = make('td');
    const words = clockWords(wallAt(this.#model.data.walls, item.at));
    time.append(button(words, () => this.#open(index), 'link'));
    time.dataset.label = HEADS[0] ?? '';
    line.append(time);
    const cells = [row.heading, row.name, KIND_NAMES[item.kind], took, item.summary];
    for (const [place, text] of cells.entries()) {
      const cell = make('td', text, item.failed && place === 4 ? 'bad' : '');
      cell.dataset.label = HEADS[place + 1] ?? '';
      line.append(cell);
    }
    return line;
  }
}
