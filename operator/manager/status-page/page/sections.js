/**
 * The sections of the status page, from the state of the process.
 *
 * @import { Cell } from './dom.js'
 * @import { ControllerStatus, ProcessStatus, ShardingStatus, SourceStatus } from '../process-status.ts'
 */

import { byId, make, showTable, tableOf } from './dom.js';
import { ago, duration, size, timeOf } from './words.js';

/**
 * @param {SourceStatus} source
 * @returns {Cell}
 */
function stateOf({ state, health }) {
  if (health === 'healthy') return [state, 'ok'];
  return [state === health ? state : `${state}, ${health}`, isBad(health) ? 'bad' : 'warn'];
}

/**
 * @param {ControllerStatus} controller
 * @returns {Cell}
 */
function queueOf({ ready }) {
  if (ready.length === 0) return ['empty', 'dim'];
  return ready.map(({ priority, keys }) => `${keys} at priority ${priority}`).join(', ');
}

/** @param {readonly number[]} counts - one for each minute, the running one last */
export function showWrites(counts) {
  if (counts.every((count) => count === 0)) {
    byId('writes').replaceChildren(make('p', 'None in the last hour.', 'dim'));
    return;
  }
  const space = 'http://www.w3.org/2000/svg';
  const most = Math.max(1, ...counts);
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', `0 0 ${counts.length} 20`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `writes in each of the last ${counts.length} minutes`);
  for (const [index, count] of counts.entries()) {
    const bar = document.createElementNS(space, 'rect');
    const height = (20 * count) / most;
    bar.setAttribute('x', String(index + 0.1));
    bar.setAttribute('y', String(20 - height));
    bar.setAttribute('width', '0.8');
    bar.setAttribute('height', String(height));
    svg.append(bar);
  }
  const text = `${counts.at(-1)} in this minute, at most ${Math.max(...counts)} in the last hour`;
  byId('writes').replaceChildren(svg, make('p', text, 'dim'));
}

/** @param {ProcessStatus} status */
export function showProcess(status) {
  const { podName, podNamespace, controllers, ready, phase, leadership, sharding, ...rest } =
    status;
  const name = podName || controllers.map((each) => each.name).join(', ') || 'operator';
  const readiness = ready ? 'ready' : 'not ready';
  byId('name').textContent = name;
  document.title = `${name} – ${readiness}`;
  const badges = [
    make('span', readiness, ready ? 'badge ok' : 'badge bad'),
    make('span', phase, phase === 'running' ? 'badge ok' : 'badge warn'),
  ];
  if (leadership) {
    const { leads, holder } = leadership;
    const words = leads ? 'leader' : `standby, ${holder || 'nobody'} leads`;
    badges.push(make('span', words, leads ? 'badge ok' : 'badge warn'));
  }
  if (sharding) {
    const own = sharding.groups.filter((each) => each.phase === 'owning').length;
    badges.push(make('span', `${own} of ${sharding.groups.length} groups`, 'badge ok'));
  }
  byId('badges').replaceChildren(...badges);
  const facts = [
    `up ${ago(rest.uptimeSeconds)}`,
    `ambassador ${rest.apiUrl}`,
    `chancery ${rest.version}`,
  ];
  if (podNamespace) facts.unshift(`namespace ${podNamespace}`);
  byId('where').textContent = facts.join(' · ');
}

/**
 * What is wrong, before everything else.
 *
 * @param {ProcessStatus} status
 */
export function showAttention(status) {
  const found = troublesOf(status);
  const lines = found.length > 0 ? found : [CALM];
  const text = JSON.stringify(lines);
  const list = byId('attention');
  if (list.dataset.shown !== text) {
    list.dataset.shown = text;
    list.replaceChildren(...lines.map(([words, className]) => make('li', words, className)));
  }
  const { failing } = status;
  byId('failing').hidden = failing.length === 0;
  showTable(
    'failing',
    ['Key', 'Controller', '#Failures', 'Since', '#Next attempt', 'Last error'],
    failing.map((each) => [
      { key: each.key, controller: each.controller },
      each.controller,
      each.failures || '–',
      each.since ? timeOf(each.since) : '–',
      each.nextInMs === undefined ? ['none due', 'bad'] : duration(each.nextInMs),
      [each.error ?? '–', 'bad'],
    ]),
    { empty: '', first: 8 },
  );
}

/** @type {readonly [text: string, className: string]} */
const CALM = ['Nothing: every source is healthy, and no key fails.', 'ok'];

/**
 * @param {ProcessStatus} status
 * @returns {readonly (readonly [text: string, className: string])[]}
 */
function troublesOf({ ready, phase, controllers, failing, leadership, sharding, sources }) {
  /** @type {(readonly [text: string, className: string])[]} */
  const troubles = [];
  if (phase !== 'running') troubles.push([`The process is ${phase}.`, 'warn']);
  else if (!ready) troubles.push(['Not ready: /readyz?verbose says which check fails.', 'bad']);
  for (const { resource, namespace, state, health } of sources) {
    if (health === 'healthy') continue;
    const where = namespace ? ` in ${namespace}` : '';
    const is = state === health ? state : `${state}, ${health}`;
    troubles.push([`Source ${resource}${where}: ${is}.`, isBad(health) ? 'bad' : 'warn']);
  }
  for (const { name, working, longestRunningSeconds } of controllers) {
    const isStandby = leadership !== undefined && !leadership.leads;
    if (!working && !isStandby && phase === 'running') {
      troubles.push([`Controller ${name} has not begun.`, 'warn']);
    }
    if (longestRunningSeconds < LONG_SECONDS) continue;
    troubles.push([
      `Controller ${name}: one reconcile has run for ${ago(longestRunningSeconds)}.`,
      'warn',
    ]);
  }
  const silent = sharding?.members.filter(({ fresh }) => !fresh).length ?? 0;
  if (silent > 0) troubles.push([`Silent replicas: ${silent}.`, 'bad']);
  const lost = sharding?.groups.filter((each) => each.phase === 'lost').length ?? 0;
  if (lost > 0) troubles.push([`Lost groups: ${lost}.`, 'bad']);
  if (failing.length === 0) return troubles;
  const count = Math.max(
    failing.length,
    controllers.reduce((sum, each) => sum + each.failing, 0),
  );
  troubles.push([count === 1 ? '1 key fails.' : `${count} keys fail.`, 'bad']);
  return troubles;
}

/** A reconcile that runs for longer is told. */
const LONG_SECONDS = 60;

/** @param {string} health */
function isBad(health) {
  return health === 'forbidden' || health === 'failing';
}

/** @param {readonly ControllerStatus[]} controllers */
export function showControllers(controllers) {
  showTable(
    'controllers',
    [
      'Controller',
      'State',
      '#Busy',
      'Queue',
      '#Later',
      '#Failing',
      '#Reconciles',
      '#Errors',
      '#Median',
      '#Slowest',
      '#Longest running',
    ],
    controllers.map((each) => [
      each.name,
      each.working ? ['working', 'ok'] : ['waiting', 'warn'],
      `${each.busy} of ${each.workers}`,
      queueOf(each),
      each.delayed,
      [each.failing, each.failing > 0 ? 'bad' : ''],
      each.reconciles,
      [each.errors, each.errors > 0 ? 'warn' : ''],
      duration(each.medianMs),
      duration(each.slowestMs),
      each.longestRunningSeconds > 0 ? ago(each.longestRunningSeconds) : '–',
    ]),
    { empty: 'This operator has no controllers.' },
  );
}

/** @param {ShardingStatus | undefined} sharding */
export function showSharding(sharding) {
  byId('of-groups').hidden = !sharding;
  if (!sharding) return;
  const { division, groups, members } = sharding;
  showTable(
    'groups',
    ['Group', 'Here', 'Holder by its Lease'],
    groups.map(({ group, phase, holder }) => [
      group,
      [phase, phase === 'owning' ? 'ok' : phase === 'lost' ? 'bad' : 'dim'],
      holder || ['nobody', 'warn'],
    ]),
    { empty: 'There are no groups.' },
  );
  showTable(
    'members',
    ['Replica', 'State', '#Groups', '#Last renewal seen'],
    members.map(({ identity, fresh, unchangedSeconds, division: its }) => [
      identity,
      !fresh ? ['silent', 'bad'] : its === division ? ['alive', 'ok'] : [`waits: ${its}`, 'warn'],
      groups.filter(({ holder }) => holder === identity).length,
      ago(unchangedSeconds),
    ]),
    { empty: 'None has been seen yet.' },
  );
}

/**
 * A table for each list in the state of each runnable, whatever it is.
 *
 * @param {ProcessStatus['runnables']} runnables
 */
export function showRunnables(runnables) {
  byId('of-runnables').hidden = runnables.length === 0;
  const parts = runnables.flatMap(({ name, running, state }) => [
    make('h3', `${name}: ${running ? 'running' : 'waiting'}`),
    ...Object.entries(state ?? {}).flatMap(([list, items]) => {
      if (!Array.isArray(items)) return [];
      const heads = [...new Set(items.flatMap((item) => Object.keys(item)))];
      const rows = items.map((item) => heads.map((head) => cellOf(item[head])));
      return [make('h4', list), tableOf(heads, rows, 'none')];
    }),
  ]);
  byId('runnables').replaceChildren(...parts);
}

/**
 * @param {unknown} value
 * @returns {Cell}
 */
function cellOf(value) {
  if (value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(', ');
  return typeof value === 'number' ? value : String(value);
}

/** @param {readonly SourceStatus[]} sources */
export function showSources(sources) {
  showTable(
    'sources',
    [
      'Resource',
      'Namespace',
      'Selector',
      'State',
      '#Objects',
      '#Memory',
      '#Last contact',
      '#Last list',
    ],
    sources.map((each) => [
      each.resource,
      each.namespace || 'all',
      each.selector || '–',
      stateOf(each),
      each.synced ? each.objects : ['not synced', 'warn'],
      size(each.bytes),
      ago(each.lastContactSeconds),
      ago(each.lastListSeconds),
    ]),
    { empty: 'Nothing is listed or watched.' },
  );
}

/** @param {ProcessStatus['recording']} recording */
export function showRecording(recording) {
  byId('of-recording').hidden = !recording;
  if (!recording) return;
  const ways = recording.endpoint ? 'SIGQUIT, or POST /debug/record on this port' : 'SIGQUIT';
  byId('recording').textContent =
    `What happened in the last ${recording.minutes} min is kept. To get a record of it: ${ways}.`;
}

/** @param {ProcessStatus['recent']} recent */
export function showRecent(recent) {
  showTable(
    'recent',
    ['Time', 'Controller', 'Object', 'Outcome', '#Took', 'Error'],
    recent.map((each) => [
      timeOf(each.at),
      each.controller,
      { key: each.key, controller: each.controller },
      [each.outcome, each.error ? 'bad' : 'ok'],
      duration(each.durationMs),
      each.error ? [each.error, 'bad'] : '–',
    ]),
    { empty: 'No reconcile has ended yet.', first: 10 },
  );
}
