/**
 * The selected item: what is known of it, the object as the operator knew it then, and what had changed.
 *
 * @import { TimelineItem, TimelineVersion } from '../timeline-data.ts'
 * @import { DiffLine } from './diff.js'
 * @import { Model } from './model.js'
 */
import { lineDiff } from './diff.js';
import { button, byId, factList, make } from './dom.js';
import { KIND_NAMES } from './model.js';
import { clockWords, spanWords, wallAt } from './time.js';

/** Unchanged lines that are shown around a change. */
const CONTEXT = 3;

/** @type {Readonly<Record<TimelineVersion['how'], string>>} */
const HOW = {
  cached: 'in the cache when the record began',
  watched: 'from a watch',
  listed: 'from a list',
  answered: 'from the answer to a call',
};

/**
 * What an item is compared with.
 *
 * @type {Partial<Record<TimelineItem['kind'], string>>}
 */
const BEFORE = { reconcile: 'at the attempt before', write: 'when it was written' };

/** @typedef {'changes' | 'object' | 'sent'} Tab */

export class Details {
  /** @type {Model} */
  #model;
  /** @type {(index: number) => void} */
  #select;
  /** @type {number | undefined} */
  #shown;
  /** @type {Tab} */
  #tab = 'changes';

  /**
   * @param {Model} model
   * @param {(index: number) => void} select
   */
  constructor(model, select) {
    this.#model = model;
    this.#select = select;
  }

  focus() {
    byId('details-title').focus();
  }

  show() {
    const { selected, selectedItem: item } = this.#model;
    if (selected === this.#shown) return;
    this.#shown = selected;
    byId('details').hidden = item === undefined;
    if (item === undefined) return;
    const row = this.#model.rowOf(item);
    byId('details-kind').textContent = `${KIND_NAMES[item.kind]} · ${row.heading} · ${row.name}`;
    byId('details-title').textContent = item.summary;
    byId('details-title').className = item.failed ? 'bad' : '';
    byId('details-facts').replaceChildren(factList([...this.#times(item), ...(item.facts ?? [])]));
    byId('details-related').replaceChildren(...this.#related(item));
    this.#showState(item);
    byId('details').scrollTop = 0;
  }

  /**
   * @param {TimelineItem} item
   * @returns {readonly (readonly [string, string])[]}
   */
  #times({ at, to, open, waitedMs }) {
    const { walls, from } = this.#model.data;
    const end = to === undefined || to === at ? '' : ` – ${clockWords(wallAt(walls, to))}`;
    return [
      ['Time', `${clockWords(wallAt(walls, at))}${end}${open ? ' (open)' : ''} UTC`],
      ['In the record', `${spanWords(Math.max(0, at - from))} after its beginning`],
      ...named('Took', to === undefined || to === at || open ? undefined : spanWords(to - at)),
      ...named('Waited for a worker', waitedMs === undefined ? undefined : spanWords(waitedMs)),
    ];
  }

  /** @param {TimelineItem} item */
  #related(item) {
    const reconcile = this.#model.reconcileOf(item);
    const others = reconcile === undefined ? this.#model.callsOf(item) : [reconcile];
    if (others.length === 0) return [];
    const list = make('ul');
    for (const index of others) {
      const other = this.#model.data.items[index];
      const line = make('li');
      const press = () => this.#select(index);
      line.append(button(other?.summary ?? '', press, other?.failed ? 'link bad' : 'link'));
      list.append(line);
    }
    const title =
      reconcile === undefined ? `Calls of this reconcile (${others.length})` : 'In the reconcile';
    return [make('h3', title), list];
  }

  /** @param {TimelineItem} item */
  #showState(item) {
    /** @type {[Tab, string][]} */
    const tabs = [];
    if (item.version !== undefined) tabs.push(['changes', 'What changed'], ['object', 'Object']);
    if (item.sent !== undefined) tabs.push(['sent', 'Sent']);
    if (item.version === undefined && item.before !== undefined)
      tabs.push(['object', 'Object before']);
    const part = byId('details-state');
    part.hidden = tabs.length === 0;
    if (tabs.length === 0) return;
    const chosen = tabs.some(([tab]) => tab === this.#tab) ? this.#tab : (tabs[0]?.[0] ?? 'object');
    const buttons = tabs.map(([tab, name]) => {
      const element = button(name, () => {
        this.#tab = tab;
        this.#showState(item);
        focusPressed();
      });
      element.setAttribute('aria-pressed', String(tab === chosen));
      return element;
    });
    byId('details-tabs').replaceChildren(...buttons);
    byId('details-text').replaceChildren(...this.#textOf(item, chosen));
  }

  /**
   * @param {TimelineItem} item
   * @param {Tab} tab
   */
  #textOf(item, tab) {
    if (tab === 'sent') return [this.#pre(this.#model.texts.numbers(item.sent))];
    const version = this.#version(item, item.version ?? item.before);
    if (version === undefined) return [];
    if (version.text === undefined)
      return [make('p', 'The page had no room for this state.', 'dim')];
    const numbers = this.#model.texts.numbers(version.text);
    if (tab === 'object') return [this.#versionWords(item, version), this.#pre(numbers)];
    return this.#changes(item, version, numbers);
  }

  /**
   * @param {TimelineItem} item
   * @param {TimelineVersion} version
   * @param {readonly number[]} numbers
   */
  #changes(item, version, numbers) {
    const before = this.#version(item, item.before);
    if (before === undefined || before.text === undefined) {
      const words = 'Nothing before it is in the record.';
      return [this.#versionWords(item, version), make('p', words, 'dim'), this.#pre(numbers)];
    }
    const diff = lineDiff(this.#model.texts.numbers(before.text), numbers);
    const [added, removed] = ['added', 'removed'].map(
      (kind) => diff.filter((line) => line.kind === kind).length,
    );
    const words = `${versionName(before)} (${BEFORE[item.kind] ?? 'the state before'}) → ${versionName(version)}`;
    const count = `${added} added, ${removed} removed`;
    const summary = make(
      'p',
      `${words}: ${diff.some(({ kind }) => kind !== 'same') ? count : 'no difference'}`,
      'dim',
    );
    return [this.#versionWords(item, version), summary, this.#diff(diff)];
  }

  /**
   * @param {TimelineItem} item
   * @param {TimelineVersion} version
   */
  #versionWords(item, version) {
    const object = this.#model.objectOf(item);
    const time = clockWords(wallAt(this.#model.data.walls, version.at));
    const gone = version.deleted ? ', deleted' : '';
    const words = `${object?.kind ?? ''} ${object?.key ?? ''}, ${versionName(version)}${gone}, ${HOW[version.how]} at ${time}`;
    return make('p', words, version.deleted ? 'bad' : '');
  }

  /**
   * @param {TimelineItem} item
   * @param {number | undefined} index
   */
  #version(item, index) {
    return index === undefined ? undefined : this.#model.objectOf(item)?.versions[index];
  }

  /** @param {readonly number[]} numbers */
  #pre(numbers) {
    const element = make('pre', numbers.map((line) => this.#model.texts.line(line)).join('\n'));
    element.tabIndex = 0;
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', 'object as YAML');
    return element;
  }

  /** @param {readonly DiffLine[]} diff */
  #diff(diff) {
    const isNear = diff.map(() => false);
    for (const [index, { kind }] of diff.entries()) {
      if (kind === 'same') continue;
      isNear.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
    }
    const element = make('pre', '', 'diff');
    element.tabIndex = 0;
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', 'differences');
    let hidden = 0;
    const tell = () => {
      if (hidden > 0)
        element.append(
          make('span', `⋯ ${hidden} equal ${hidden === 1 ? 'line' : 'lines'}\n`, 'dim'),
        );
      hidden = 0;
    };
    for (const [index, { kind, line }] of diff.entries()) {
      if (!isNear[index]) {
        hidden++;
        continue;
      }
      tell();
      const text = this.#model.texts.line(line);
      if (kind === 'same') element.append(make('span', `  ${text}\n`));
      else if (kind === 'added') element.append(make('ins', `+ ${text}\n`));
      else element.append(make('del', `- ${text}\n`));
    }
    tell();
    return element;
  }
}

function focusPressed() {
  const pressed = byId('details-tabs').querySelector('button[aria-pressed=true]');
  if (pressed instanceof HTMLElement) pressed.focus();
}

/**
 * @param {string} name
 * @param {string | undefined} value
 * @returns {readonly (readonly [string, string])[]}
 */
function named(name, value) {
  return value === undefined ? [] : [[name, value]];
}

/** @param {TimelineVersion} version */
function versionName({ resourceVersion }) {
  return resourceVersion === undefined
    ? 'a state without resourceVersion'
    : `version ${resourceVersion}`;
}
