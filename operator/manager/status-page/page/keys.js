/**
 * Searching keys, and asking why one of them is not done. Both ask the server that this page comes from.
 *
 * @import { WokenBy } from '../../../controller/run/wakes/wake-causes.ts'
 * @import { KeyAnswer, KeyStatus, KeysAnswer } from '../key-answer.ts'
 * @import { ControllerStatus } from '../process-status.ts'
 */

import { byId, make, showTable } from './dom.js';
import { duration, timeOf } from './words.js';

/** A person who types is not done yet. */
const TYPING_MS = 150;

/** How often the list of keys is asked for again. */
const AGAIN_MS = 2_000;

/** @type {Readonly<Record<KeyStatus['verdict'], string>>} */
const VERDICT_CLASS = {
  done: 'ok',
  working: 'ok',
  waiting: 'dim',
  failing: 'bad',
  blocked: 'warn',
};

const searchField = /** @type {HTMLInputElement} */ (byId('search'));
const controllerField = /** @type {HTMLSelectElement} */ (byId('search-controller'));
const stateField = /** @type {HTMLSelectElement} */ (byId('search-state'));
const dialog = /** @type {HTMLDialogElement} */ (byId('why'));

let typing = 0;
let searches = 0;
let askedAt = Number.NEGATIVE_INFINITY;

/**
 * The key of the open dialog.
 *
 * @type {{ readonly key: string, readonly controller: string } | undefined}
 */
let asked;

/**
 * @template T
 * @param {string} path
 * @returns {Promise<T>}
 */
async function ask(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

/** @param {readonly ControllerStatus[]} controllers */
export function showSearch(controllers) {
  const names = controllers.map(({ name }) => name);
  if (controllerField.dataset.names !== names.join()) {
    const { value } = controllerField;
    controllerField.dataset.names = names.join();
    const options = names.map((name) => new Option(name, name));
    controllerField.replaceChildren(new Option('all', ''), ...options);
    controllerField.value = names.includes(value) ? value : '';
  }
  if (performance.now() - askedAt >= AGAIN_MS) search();
  if (asked !== undefined) showAnswer(asked);
}

async function search() {
  askedAt = performance.now();
  const mine = ++searches;
  const text = searchField.value.trim();
  const query = new URLSearchParams({
    search: text,
    controller: controllerField.value,
    state: stateField.value,
  });
  try {
    /** @type {KeysAnswer} */
    const answer = await ask(`keys.json?${query}`);
    if (mine === searches) showFound(answer, text);
  } catch (error) {
    if (mine !== searches) return;
    byId('found-count').className = 'bad';
    byId('found-count').textContent = `The keys cannot be shown. ${messageOf(error)}`;
  }
}

/**
 * @param {KeysAnswer} answer
 * @param {string} text
 */
function showFound({ keys, matching, isComplete }, text) {
  const count = byId('found-count');
  const some = keys.length < matching ? `, the first ${keys.length} of them here` : '';
  const atLeast = isComplete ? '' : 'at least ';
  const words = `${atLeast}${matching} ${matching === 1 ? 'key' : 'keys'}${some}`;
  count.className = 'dim';
  if (count.textContent !== words) count.textContent = words;
  const isFiltered = text !== '' || stateField.value !== 'all' || controllerField.value !== '';
  showTable(
    'found',
    ['Key', 'Controller', 'State', 'Why'],
    keys.map(({ key, controller, verdict, summary }) => [
      { key, controller },
      controller,
      [verdict, VERDICT_CLASS[verdict]],
      summary,
    ]),
    { empty: isFiltered ? 'No key matches.' : 'No object is cached, and no key waits.', first: 10 },
  );
}

/** @param {{ readonly key: string, readonly controller: string }} which */
async function openWhy(which) {
  asked = which;
  byId('h-why').textContent = which.key;
  byId('why-answer').replaceChildren(make('p', 'Asking…', 'dim'));
  dialog.showModal();
  await showAnswer(which);
}

/** @param {{ readonly key: string, readonly controller: string }} which */
async function showAnswer(which) {
  const { key, controller } = which;
  const place = byId('why-answer');
  try {
    /** @type {KeyAnswer} */
    const answer = await ask(`why.json?${new URLSearchParams({ key, controller })}`);
    if (asked !== which) return;
    place.replaceChildren(
      ...answer.known.flatMap((status) => answerParts(status)),
      ...(answer.known.length === 0 ? [make('p', `${controller} knows this key no longer.`)] : []),
      ...answer.notes.map((note) => make('p', note, 'warn')),
    );
  } catch (error) {
    if (asked === which) place.replaceChildren(make('p', `No answer. ${messageOf(error)}`, 'bad'));
  }
}

/** @param {KeyStatus} status */
function answerParts(status) {
  const { controller, verdict, summary, next, running, last } = status;
  const sentence = make('p');
  sentence.append(make('span', verdict, `badge ${VERDICT_CLASS[verdict]}`), summary);
  const woken = status.wokenBy ?? running?.wokenBy ?? last?.wokenBy;
  const id = running?.reconcileId ?? last?.reconcileId;
  /** @type {readonly (readonly [name: string, text: string | undefined, className?: string])[]} */
  const facts = [
    ['Controller', controller],
    ['Object', OBJECT_WORDS[status.object]],
    ['State', stateWords(status)],
    ...status.waits.map(({ by, forMs, why }) => {
      const until = forMs === undefined ? '' : ` for ${duration(forMs)}`;
      return /** @type {const} */ (['Waits', `${by}${until}: ${why}`]);
    }),
    ['Next attempt', next && `${timeOf(next.at)} UTC, in ${duration(next.inMs)}`],
    ['Woken by', woken && wokenWords(woken)],
    [
      'Last attempt',
      last && `${last.outcome} at ${timeOf(last.at)} UTC after ${duration(last.durationMs)}`,
    ],
    ['Last error', last?.error, 'bad'],
    ['Failing since', status.failingSince && `${timeOf(status.failingSince)} UTC`],
    ['In the log', id && `lines with reconcileId ${id}`],
  ];
  const list = make('dl');
  for (const [name, text, className = ''] of facts) {
    if (text) list.append(make('dt', name), make('dd', text, className));
  }
  return [sentence, list];
}

/** @type {Readonly<Record<KeyStatus['object'], string>>} */
const OBJECT_WORDS = {
  cached: 'is in the cache',
  absent: 'is not in the cache: it is gone, or not selected',
  unknown: 'not known: the cache has no first list',
};

/** @param {KeyStatus} status */
function stateWords({ state, priority, running }) {
  const at = priority === undefined ? '' : ` at priority ${priority}`;
  return running ? `working for ${duration(running.forMs)}${at}` : `${state}${at}`;
}

/** @param {WokenBy} woken */
function wokenWords({ causes, more }) {
  const words = causes.map(({ cause, via, times }) => {
    return `${cause}${via ? ` via ${via}` : ''}${times > 1 ? `, ${times} times` : ''}`;
  });
  return [...words, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** The buttons of the keys that were found, in order. */
function foundButtons() {
  return [
    .../** @type {NodeListOf<HTMLButtonElement>} */ (byId('found').querySelectorAll('button')),
  ];
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
  const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (key === '/' && !isField) {
    event.preventDefault();
    searchField.focus();
    searchField.select();
    return;
  }
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  const buttons = foundButtons();
  const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (target));
  if (step === 0 || (at < 0 && (target !== searchField || step < 0))) return;
  event.preventDefault();
  const next = at + step;
  if (next < 0) searchField.focus();
  else buttons[Math.min(next, buttons.length - 1)]?.focus();
}

export function listenToKeys() {
  searchField.addEventListener('input', () => {
    window.clearTimeout(typing);
    typing = window.setTimeout(search, TYPING_MS);
  });
  searchField.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') foundButtons()[0]?.click();
  });
  controllerField.addEventListener('change', search);
  stateField.addEventListener('change', search);
  document.addEventListener('keydown', onKey);
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLElement) || !target.classList.contains('key')) return;
    openWhy({ key: target.textContent ?? '', controller: target.dataset.controller ?? '' });
  });
  byId('found').addEventListener('show-all', search);
  byId('why-close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => {
    asked = undefined;
  });
}
