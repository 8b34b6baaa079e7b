/**
 * The script of the page: reads the data, and joins the parts.
 *
 * @import { ItemKind, TimelineData } from '../timeline-data.ts'
 * @import { RowOrder } from './model.js'
 */
import { Chart } from './chart.js';
import { currentColours } from './colours.js';
import { Details } from './details.js';
import { button, byId, factList, make } from './dom.js';
import { centre, chartKeys } from './keyboard.js';
import { KIND_NAMES, Model } from './model.js';
import { Overview } from './overview.js';
import { followChartPointer, followOverviewPointer, followWheel } from './pointer.js';
import { EventTable } from './table.js';
import { clockWords, spanWords, wallAt } from './time.js';

/**
 * The data in the page: JSON, compressed with gzip, in base64.
 *
 * @returns {Promise<TimelineData>}
 */
async function unpackedData() {
  const text = atob(byId('data').textContent ?? '');
  byId('data').remove(); // as an object it is enough
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

const data = await unpackedData();
const model = new Model(data);
const chart = new Chart(model);
const overview = new Overview(model);
const details = new Details(model, (index) => select(index));
const table = new EventTable(model, (index) => {
  select(index);
  details.focus();
});

let colours = currentColours();
let isDrawing = false;

/** Draws once before the next frame, however often it is called. */
function redraw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    chart.draw(colours);
    overview.draw(colours);
    byId('seen').textContent = spanText();
  });
}

function spanText() {
  const { from, to } = model;
  const [first, last] = [from, to].map((at) =>
    clockWords(wallAt(data.walls, at), (to - from) / 10),
  );
  return `${first} – ${last} UTC, ${spanWords(to - from)}`;
}

/** @param {number | undefined} index */
function select(index) {
  model.selected = index;
  if (index !== undefined && !model.isShown(index)) clearFilter();
  model.selected = index;
  chart.reveal();
  details.show();
  table.mark();
  announce();
  redraw();
}

/** Tells a screen reader what is selected. */
function announce() {
  const item = model.selectedItem;
  if (item === undefined) {
    byId('announcement').textContent = 'nothing is selected';
    return;
  }
  const { heading, name } = model.rowOf(item);
  const list = model.shownOfRow[item.row] ?? [];
  const place = `${list.indexOf(model.selected ?? -1) + 1} of ${list.length}`;
  const time = clockWords(wallAt(data.walls, item.at));
  byId('announcement').textContent = `${item.summary}, ${time}, ${name}, ${heading}, ${place}`;
}

/** @returns {HTMLInputElement} */
const filterField = () => byId('filter-text');

function applyFilter() {
  const pressed = [...byId('kinds').querySelectorAll('button[aria-pressed=true]')];
  /** @type {HTMLSelectElement} */
  const heading = byId('filter-heading');
  /** @type {HTMLSelectElement} */
  const objectKind = byId('filter-kind');
  /** @type {HTMLInputElement} */
  const errors = byId('filter-errors');
  /** @type {HTMLSelectElement} */
  const order = byId('order');
  model.filter = {
    text: filterField().value.trim(),
    heading: heading.value,
    objectKind: objectKind.value,
    errorsOnly: errors.checked,
    kinds: new Set(
      pressed.map(
        (each) => /** @type {ItemKind} */ (/** @type {HTMLElement} */ (each).dataset.kind),
      ),
    ),
  };
  model.order = /** @type {RowOrder} */ (order.value);
  model.refresh();
  byId('scroller').scrollTop = 0;
  showCount();
  details.show();
  table.show();
  redraw();
}

function clearFilter() {
  /** @type {HTMLFormElement} */ (byId('filter')).reset();
  for (const each of byId('kinds').children) each.setAttribute('aria-pressed', 'true');
  applyFilter();
}

function showCount() {
  const { length } = model.shown;
  const errors = model.shown.filter((index) => data.items[index]?.failed).length;
  const all = length === data.items.length ? '' : ` of ${data.items.length}`;
  byId('count').textContent =
    `${length}${all} events, ${errors} errors, ${model.rowsShown.length} rows`;
  byId('empty').hidden = length > 0;
}

/** @param {boolean} isTable */
function showView(isTable) {
  byId('chart').hidden = isTable;
  byId('table-part').hidden = !isTable;
  byId('view-chart').setAttribute('aria-pressed', String(!isTable));
  byId('view-table').setAttribute('aria-pressed', String(isTable));
  if (isTable) table.show();
  redraw();
}

function fillPage() {
  document.title = data.title;
  byId('title').textContent = data.title;
  byId('warnings').replaceChildren(...data.warnings.map((text) => make('p', text)));
  for (const { title, facts } of data.about) {
    const part = make('section');
    part.append(make('h3', title), factList(facts));
    byId('about').append(part);
  }
  addOptions(
    'filter-heading',
    data.rows.map(({ heading }) => heading),
  );
  addOptions('filter-kind', data.objects.map(({ kind }) => kind).toSorted());
  const present = new Set(data.items.map(({ kind }) => kind));
  for (const [kind, name] of Object.entries(KIND_NAMES)) {
    if (!present.has(/** @type {ItemKind} */ (kind))) continue;
    const toggle = button(name, () => {
      toggle.setAttribute('aria-pressed', String(toggle.getAttribute('aria-pressed') !== 'true'));
      applyFilter();
    });
    toggle.dataset.kind = kind;
    toggle.setAttribute('aria-pressed', 'true');
    byId('kinds').append(toggle);
  }
}

/**
 * @param {string} id
 * @param {readonly string[]} values
 */
function addOptions(id, values) {
  for (const value of new Set(values)) byId(id).append(new Option(value, value));
}

/**
 * @param {number | undefined} index
 * @param {number} x
 * @param {number} y
 */
function hover(index, x, y) {
  const item = index === undefined ? undefined : data.items[index];
  const tip = byId('tip');
  tip.hidden = item === undefined;
  byId('canvas').style.cursor = item === undefined ? '' : 'pointer';
  if (item === undefined) return;
  const time = clockWords(wallAt(data.walls, item.at));
  tip.replaceChildren(
    make('strong', time),
    make('span', ` ${model.rowOf(item).name}`),
    make('div', item.summary),
  );
  tip.style.left = `${Math.min(x + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(y + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
}

/** @param {number} factor */
function zoom(factor) {
  model.zoom(factor, centre(model));
  redraw();
}

/** @param {1 | -1} step */
function goToError(step) {
  const error = model.nextError(step);
  if (error !== undefined) select(error);
}

function closeDetails() {
  const { selected } = model;
  select(undefined);
  if (byId('chart').hidden && selected !== undefined) table.focus(selected);
  else byId('holder').focus();
}

function listen() {
  const keys = chartKeys(model, {
    redraw,
    select,
    open: () => (model.selected === undefined ? select(model.shown[0]) : details.focus()),
    filter: () => filterField().focus(),
  });
  byId('holder').tabIndex = 0; // role `application`: it takes the arrow keys
  byId('holder').addEventListener('keydown', keys);
  byId('holder').addEventListener('focus', announce);
  byId('scroller').addEventListener('scroll', redraw);
  followChartPointer(model, chart, { redraw, select, hover });
  followWheel(model, chart, redraw);
  followOverviewPointer(model, overview, redraw);
  byId('filter').addEventListener('input', applyFilter);
  byId('filter').addEventListener('submit', (event) => event.preventDefault());
  byId('clear').addEventListener('click', clearFilter);
  byId('error-after').addEventListener('click', () => goToError(1));
  byId('error-before').addEventListener('click', () => goToError(-1));
  byId('zoom-in').addEventListener('click', () => zoom(0.5));
  byId('zoom-out').addEventListener('click', () => zoom(2));
  byId('zoom-all').addEventListener('click', () => {
    model.showAll();
    redraw();
  });
  byId('view-chart').addEventListener('click', () => showView(false));
  byId('view-table').addEventListener('click', () => showView(true));
  byId('close').addEventListener('click', closeDetails);
  byId('details').addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') closeDetails();
  });
  new ResizeObserver(redraw).observe(byId('scroller'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    colours = currentColours();
    redraw();
  });
}

fillPage();
listen();
showCount();
redraw();
