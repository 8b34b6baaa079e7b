/**
 * Elements of the status page. Text from a cluster is set through `textContent` only, so that names and errors are
 * never parsed as markup.
 */

/** @typedef {string | number} Text */

/**
 * A key that can be asked about.
 *
 * @typedef {{ readonly key: string, readonly controller: string }} KeyCell
 */

/** @typedef {Text | readonly [text: Text, className: string] | KeyCell} Cell */

/**
 * The head of a column, with a leading `#` when it has numbers.
 *
 * @typedef {string} Head
 */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element #${id}`);
  return element;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [text]
 * @param {string} [className]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, text = '', className = '') {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className !== '') element.className = className;
  return element;
}

/** Where each row is a card, fewer of a table with a button for more are shown at first. */
const NARROW = window.matchMedia('(max-width: 640px)');
const NARROW_ROWS = 4;

/** The tables of which all rows are shown. */
const wholeTables = new Set();

/** What each cell shows. */
const shownCells = new WeakMap();

/**
 * Shows a table. One that is there keeps the elements of its rows, so that the focus stays, and a click that has begun
 * ends on the same key.
 *
 * @param {string} id
 * @param {readonly Head[]} heads
 * @param {readonly (readonly Cell[])[]} rows
 * @param {{ readonly empty: string, readonly first?: number }} options - `empty` stands in place of a table without
 *   rows; of more than `first` rows, a button shows the others
 */
export function showTable(id, heads, rows, { empty, first = Number.POSITIVE_INFINITY }) {
  const place = byId(id);
  if (rows.length === 0) {
    place.replaceChildren(make('p', empty, 'dim'));
    return;
  }
  const count = Math.min(first, NARROW.matches ? NARROW_ROWS : first);
  const isWhole = wholeTables.has(id) || rows.length <= count;
  let body = place.querySelector('tbody');
  if (body === null) {
    place.replaceChildren(tableOf(heads, [], undefined));
    body = place.querySelector('tbody');
  }
  if (body !== null) patchRows(body, heads, isWhole ? rows : rows.slice(0, count));
  const more = place.querySelector('button.more');
  if (isWhole) more?.remove();
  else if (more !== null) more.textContent = `Show all ${rows.length}`;
  else place.append(moreButton(id, rows.length, count));
}

/**
 * @param {HTMLTableSectionElement} body
 * @param {readonly Head[]} heads
 * @param {readonly (readonly Cell[])[]} rows
 */
function patchRows(body, heads, rows) {
  const { activeElement: focused } = document;
  const known = new Map([...body.rows].map((line) => [line.dataset.row, line]));
  const names = new Set();
  for (const [index, row] of rows.entries()) {
    let name = rowName(row);
    while (names.has(name)) name = `${name}+`;
    names.add(name);
    const line = known.get(name) ?? make('tr');
    line.dataset.row = name;
    patchCells(line, heads, row);
    if (body.rows[index] !== line) body.insertBefore(line, body.rows[index] ?? null);
  }
  while (body.rows.length > rows.length) body.deleteRow(-1);
  // A row that is moved loses the focus.
  if (focused instanceof HTMLElement && body.contains(focused))
    focused.focus({ preventScroll: true });
}

/**
 * What stays the same while other cells of a row change: its key, and the time of a reconcile.
 *
 * @param {readonly Cell[]} row
 */
function rowName(row) {
  const key = row.find((cell) => typeof cell === 'object' && 'key' in cell);
  return JSON.stringify([row[0], key]);
}

/**
 * @param {HTMLTableRowElement} line
 * @param {readonly Head[]} heads
 * @param {readonly Cell[]} row
 */
function patchCells(line, heads, row) {
  for (const [index, value] of row.entries()) {
    const head = heads[index] ?? '';
    const cell = line.cells[index] ?? line.insertCell();
    const text = JSON.stringify(value);
    if (shownCells.get(cell) === text) continue;
    shownCells.set(cell, text);
    cell.className = isNumber(head) ? 'num' : '';
    cell.dataset.label = wordsOf(head);
    cell.replaceChildren(contentOf(value));
  }
}

/**
 * @param {string} id
 * @param {number} count
 * @param {number} first
 */
function moreButton(id, count, first) {
  const button = make('button', `Show all ${count}`, 'more');
  button.type = 'button';
  button.addEventListener('click', () => {
    wholeTables.add(id);
    button.dispatchEvent(new CustomEvent('show-all', { bubbles: true }));
    const next = byId(id).querySelector('tbody')?.rows[first];
    next?.querySelector('button')?.focus();
  });
  return button;
}

/**
 * @param {readonly Head[]} heads
 * @param {readonly (readonly Cell[])[]} rows
 * @param {string | undefined} empty - the text in place of a table without rows; undefined: its heads
 */
export function tableOf(heads, rows, empty) {
  if (rows.length === 0 && empty !== undefined) return make('p', empty, 'dim');
  const headLine = make('tr');
  for (const text of heads) {
    const cell = make('th', wordsOf(text), isNumber(text) ? 'num' : '');
    cell.scope = 'col';
    headLine.append(cell);
  }
  const head = make('thead');
  head.append(headLine);
  const body = make('tbody');
  patchRows(body, heads, rows);
  const table = make('table');
  table.append(head, body);
  return table;
}

/** @param {Cell} value */
function contentOf(value) {
  if (typeof value === 'object' && 'key' in value) {
    const button = make('button', value.key, 'key');
    button.type = 'button';
    button.dataset.controller = value.controller;
    return button;
  }
  const [text, className] = typeof value === 'object' ? value : [value, ''];
  return make('span', String(text), className);
}

/** @param {Head} head */
function isNumber(head) {
  return head.startsWith('#');
}

/** @param {Head} head */
function wordsOf(head) {
  return isNumber(head) ? head.slice(1) : head;
}
