/**
 * What is shown of the record: filters, the order of rows, and the selected item.
 *
 * @import { ItemKind, TimelineData, TimelineItem, TimelineObject, TimelineRow } from '../timeline-data.ts'
 */
import { Texts } from './texts.js';

/**
 * One line of the chart: a heading, or a row with its items.
 *
 * @typedef {object} ChartLine
 * @property {number} top - pixels below the first line
 * @property {number} height
 * @property {string} label
 * @property {number | undefined} row - undefined for a heading
 */

/**
 * @typedef {object} Filter
 * @property {string} text - a part of a key or of another name of a row
 * @property {string} heading - of one group of rows; empty for all
 * @property {string} objectKind - such as `Deployment`; empty for all
 * @property {boolean} errorsOnly
 * @property {ReadonlySet<ItemKind>} kinds - what is shown
 */

/** @typedef {'name' | 'errors' | 'events' | 'time'} RowOrder */

const HEADING_HEIGHT = 28;
export const ROW_HEIGHT = 26;

/** Kinds in the order of the legend, with their names in it. */
export const KIND_NAMES = /** @type {const} */ ({
  wake: 'wakes',
  reconcile: 'reconciles',
  write: 'writes',
  read: 'reads',
  held: 'waits by policy',
  change: 'object changes',
  watch: 'watch states',
  leader: 'leadership',
  log: 'log',
  clock: 'clock jumps',
});

/** The shortest span that can be seen, in milliseconds. */
const LEAST_SPAN_MS = 1;

export class Model {
  /** @type {TimelineData} */
  data;
  /** @type {Texts} */
  texts;
  /** The span that is seen. */
  from = 0;
  to = 1;
  /** @type {number | undefined} */
  selected;
  /** @type {ChartLine[]} */
  lines = [];
  height = 0;
  /** Indices of the items that the filter lets through, by time. @type {number[]} */
  shown = [];
  /** The same for each row. @type {number[][]} */
  shownOfRow = [];
  /** @type {Filter} */
  filter = { text: '', heading: '', objectKind: '', errorsOnly: false, kinds: allKinds() };
  /** @type {RowOrder} */
  order = 'name';
  /** @type {Map<number, number>} */
  #reconciles = new Map();

  /** @param {TimelineData} data */
  constructor(data) {
    this.data = data;
    this.texts = new Texts(data);
    for (const [index, { kind, attempt }] of data.items.entries()) {
      if (kind === 'reconcile' && attempt !== undefined) this.#reconciles.set(attempt, index);
    }
    this.showAll();
    this.refresh();
  }

  /** Rows and items by the filter. The selection is kept only if it is still shown. */
  refresh() {
    const { items, rows } = this.data;
    this.shownOfRow = rows.map(() => []);
    this.shown = [];
    for (const [index, item] of items.entries()) {
      if (!this.#lets(item)) continue;
      this.shown.push(index);
      this.shownOfRow[item.row]?.push(index);
    }
    this.#layOut();
    if (this.selected !== undefined && !this.isShown(this.selected)) this.selected = undefined;
  }

  /** @param {number} index */
  isShown(index) {
    const item = this.data.items[index];
    return item !== undefined && this.#lets(item);
  }

  showAll() {
    const { from, to } = this.data;
    const margin = Math.max(LEAST_SPAN_MS, to - from) * 0.01;
    this.show(from - margin, to + margin);
  }

  /**
   * Shows a span: at least a millisecond, at most the whole record with some room, and never beside the record.
   *
   * @param {number} from
   * @param {number} to
   */
  show(from, to) {
    const whole = Math.max(LEAST_SPAN_MS, this.data.to - this.data.from);
    const span = Math.min(Math.max(to - from, LEAST_SPAN_MS), whole * 1.1);
    const middle = (from + to) / 2;
    const least = this.data.from - whole * 0.05;
    const most = Math.max(least, this.data.to + whole * 0.05 - span);
    this.from = Math.min(Math.max(middle - span / 2, least), most);
    this.to = this.from + span;
  }

  /**
   * @param {number} factor - below 1 shows less, larger
   * @param {number} around - this moment stays where it is
   */
  zoom(factor, around) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }

  /** @param {number} share - of the span that is seen */
  pan(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }

  /** @returns {TimelineItem | undefined} */
  get selectedItem() {
    return this.selected === undefined ? undefined : this.data.items[this.selected];
  }

  /**
   * @param {TimelineItem} item
   * @returns {TimelineObject | undefined}
   */
  objectOf(item) {
    return item.object === undefined ? undefined : this.data.objects[item.object];
  }

  /**
   * @param {TimelineItem} item
   * @returns {TimelineRow}
   */
  rowOf(item) {
    return this.data.rows[item.row] ?? { group: 'process', heading: '', name: '' };
  }

  /**
   * The reconcile that a call belongs to.
   *
   * @param {TimelineItem} item
   */
  reconcileOf({ kind, attempt }) {
    return kind === 'reconcile' || attempt === undefined
      ? undefined
      : this.#reconciles.get(attempt);
  }

  /**
   * The calls of a reconcile, whatever the filter says.
   *
   * @param {TimelineItem} item
   */
  callsOf({ kind, attempt, row }) {
    if (kind !== 'reconcile' || attempt === undefined) return [];
    const { items } = this.data;
    return [...items.keys()].filter((index) => {
      const other = items[index];
      return other?.attempt === attempt && other.kind !== 'reconcile' && other.row === row;
    });
  }

  /**
   * The item that follows the selected one in its row, or stands before it.
   *
   * @param {1 | -1} step
   */
  besideSelected(step) {
    const row = this.selectedItem?.row;
    const list = row === undefined ? [] : (this.shownOfRow[row] ?? []);
    return list[list.indexOf(this.selected ?? -1) + step];
  }

  /**
   * The next error after the selected item, or the first one; before it with -1.
   *
   * @param {1 | -1} step
   */
  nextError(step) {
    const errors = this.shown.filter((index) => this.data.items[index]?.failed);
    if (this.selected === undefined) return errors.at(step === 1 ? 0 : -1);
    const { selected } = this;
    return step === 1
      ? errors.find((index) => index > selected)
      : errors.findLast((index) => index < selected);
  }

  /**
   * The item of a row that is closest to a moment.
   *
   * @param {number} row
   * @param {number} at
   */
  closest(row, at) {
    let best;
    let distance = Number.POSITIVE_INFINITY;
    for (const index of this.shownOfRow[row] ?? []) {
      const away = Math.abs((this.data.items[index]?.at ?? 0) - at);
      if (away < distance) [best, distance] = [index, away];
    }
    return best;
  }

  /** The rows that are shown, from top to bottom. */
  get rowsShown() {
    return this.lines.flatMap(({ row }) => row ?? []);
  }

  /** @param {TimelineItem} item */
  #lets(item) {
    const { text, heading, objectKind, errorsOnly, kinds } = this.filter;
    if (!kinds.has(item.kind) || (errorsOnly && !item.failed)) return false;
    if (objectKind !== '' && this.objectOf(item)?.kind !== objectKind) return false;
    if (heading === '' && text === '') return true;
    const row = this.rowOf(item);
    return (
      (heading === '' || row.heading === heading) &&
      (text === '' || row.name.toLowerCase().includes(text.toLowerCase()))
    );
  }

  #layOut() {
    this.lines = [];
    let top = 0;
    let last = '';
    /** @param {Omit<ChartLine, 'top'>} line */
    const add = (line) => {
      this.lines.push({ ...line, top });
      top += line.height;
    };
    for (const row of this.#orderedRows()) {
      const { group, heading, name } = this.data.rows[row] ?? this.rowOf({ ...NO_ITEM, row });
      const id = `${group} ${heading}`;
      if (id !== last) add({ height: HEADING_HEIGHT, label: heading, row: undefined });
      last = id;
      add({ height: ROW_HEIGHT, label: name, row });
    }
    this.height = top;
  }

  /** Rows with items. Only the keys of a controller have another order than by name. */
  #orderedRows() {
    const { rows } = this.data;
    const withItems = [...rows.keys()].filter((row) => (this.shownOfRow[row] ?? []).length > 0);
    if (this.order === 'name') return withItems;
    const weights = new Map(withItems.map((row) => [row, this.#weight(row)]));
    const firstOf = new Map(withItems.toReversed().map((row) => [this.#groupOf(row), row]));
    return withItems.toSorted((a, b) => {
      const groups = (firstOf.get(this.#groupOf(a)) ?? 0) - (firstOf.get(this.#groupOf(b)) ?? 0);
      if (groups !== 0 || rows[a]?.group !== 'controller') return groups;
      return (weights.get(b) ?? 0) - (weights.get(a) ?? 0);
    });
  }

  /** @param {number} row */
  #groupOf(row) {
    const { group, heading } = this.data.rows[row] ?? { group: '', heading: '' };
    return `${group} ${heading}`;
  }

  /** @param {number} row */
  #weight(row) {
    const list = this.shownOfRow[row] ?? [];
    if (this.order === 'events') return list.length;
    if (this.order === 'time') return -(this.data.items[list[0] ?? 0]?.at ?? 0);
    return list.filter((index) => this.data.items[index]?.failed).length;
  }
}

/** @type {TimelineItem} */
const NO_ITEM = { kind: 'log', row: 0, at: 0, summary: '' };

/** @returns {Set<ItemKind>} */
function allKinds() {
  return new Set(/** @type {ItemKind[]} */ (Object.keys(KIND_NAMES)));
}
