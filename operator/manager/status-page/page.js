/**
 * The script of the status page. It shows the state of the process, which the server sends once a second.
 * Text from a cluster is set through `textContent` only, so that names and errors are never parsed as
 * markup.
 *
 * @import { ControllerStatus, ProcessStatus, ShardingStatus, SourceStatus } from './process-status.ts'
 */

/** @typedef {string | number} Text */

/** @typedef {Text | readonly [text: Text, className: string]} Cell */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
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
function make(tag, text = '', className = '') {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className !== '') element.className = className;
  return element;
}

/** @param {number | undefined} seconds */
function ago(seconds) {
  if (seconds === undefined) return 'never';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** @param {number | undefined} durationMs */
function duration(durationMs) {
  if (durationMs === undefined) return '–';
  if (durationMs < 1000) return `${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`;
  return `${(durationMs / 1000).toFixed(1)} s`;
}

/** @param {number} bytes */
function size(bytes) {
  if (bytes < 1048576) return `${Math.ceil(bytes / 1024)} KiB`;
  return `${(bytes / 1048576).toFixed(1)} MiB`;
}

/** @param {string} iso */
function timeOf(iso) {
  return iso.slice(11, 19);
}

/**
 * @param {string} id
 * @param {readonly string[]} heads
 * @param {readonly (readonly Cell[])[]} rows
 * @param {string} empty - the text in place of a table without rows
 */
function showTable(id, heads, rows, empty) {
  byId(id).replaceChildren(tableOf(heads, rows, empty));
}

/**
 * @param {readonly string[]} heads
 * @param {readonly (readonly Cell[])[]} rows
 * @param {string} empty - the text in place of a table without rows
 */
function tableOf(heads, rows, empty) {
  if (rows.length === 0) return make('p', empty, 'dim');
  const headLine = make('tr');
  for (const text of heads) {
    const cell = make('th', text);
    cell.scope = 'col';
    headLine.append(cell);
  }
  const head = make('thead');
  head.append(headLine);
  const body = make('tbody');
  for (const row of rows) body.append(tableRow(heads, row));
  const table = make('table');
  table.append(head, body);
  return table;
}

/**
 * @param {readonly string[]} heads
 * @param {readonly Cell[]} row
 */
function tableRow(heads, row) {
  const line = make('tr');
  for (const [index, value] of row.entries()) {
    const [text, className] = typeof value === 'object' ? value : [value, ''];
    const cell = make('td');
    cell.dataset.label = heads[index] ?? '';
    cell.append(make('span', String(text), className));
    line.append(cell);
  }
  return line;
}

/**
 * @param {SourceStatus} source
 * @returns {Cell}
 */
function stateOf({ state, health }) {
  if (health === 'healthy') return [state, 'ok'];
  const isBad = health === 'forbidden' || health === 'failing';
  return [state === health ? state : `${state}, ${health}`, isBad ? 'bad' : 'warn'];
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
function showWrites(counts) {
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
function showProcess(status) {
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

/** @param {readonly ControllerStatus[]} controllers */
function showControllers(controllers) {
  showTable(
    'controllers',
    [
      'Controller',
      'State',
      'Busy',
      'Queue',
      'Later',
      'Failing',
      'Reconciles',
      'Errors',
      'Median',
      'Slowest',
      'Longest running',
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
    'none',
  );
}

/** @param {ShardingStatus | undefined} sharding */
function showSharding(sharding) {
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
    'none',
  );
  showTable(
    'members',
    ['Replica', 'State', 'Groups', 'Last renewal seen'],
    members.map(({ identity, fresh, unchangedSeconds, division: its }) => [
      identity,
      !fresh ? ['silent', 'bad'] : its === division ? ['alive', 'ok'] : [`waits: ${its}`, 'warn'],
      groups.filter(({ holder }) => holder === identity).length,
      ago(unchangedSeconds),
    ]),
    'none yet',
  );
}

/**
 * A table for each list in the state of each runnable, whatever it is.
 *
 * @param {ProcessStatus['runnables']} runnables
 */
function showRunnables(runnables) {
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
function showSources(sources) {
  showTable(
    'sources',
    [
      'Resource',
      'Namespace',
      'Selector',
      'State',
      'Objects',
      'Memory',
      'Last contact',
      'Last list',
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
    'none',
  );
}

/** @param {ProcessStatus['recording']} recording */
function showRecording(recording) {
  byId('of-recording').hidden = !recording;
  if (!recording) return;
  const ways = recording.endpoint ? 'SIGQUIT, or POST /debug/record on this port' : 'SIGQUIT';
  byId('recording').textContent =
    `What happened in the last ${recording.minutes} min is kept. To get a record of it: ${ways}.`;
}

/** @param {ProcessStatus['recent']} recent */
function showRecent(recent) {
  showTable(
    'recent',
    ['Time', 'Controller', 'Object', 'Outcome', 'Took', 'Error'],
    recent.map((each) => [
      timeOf(each.at),
      each.controller,
      each.key,
      [each.outcome, each.error ? 'bad' : 'ok'],
      duration(each.durationMs),
      each.error ? [each.error, 'bad'] : '–',
    ]),
    'none yet',
  );
}

/**
 * @param {string} text
 * @param {string} className
 */
function showLink(text, className) {
  byId('link').textContent = text;
  byId('link').className = className;
}

const events = new EventSource('status/events');
events.onmessage = ({ data }) => {
  /** @type {ProcessStatus} */
  const status = JSON.parse(data);
  showProcess(status);
  showControllers(status.controllers);
  showRunnables(status.runnables);
  showSharding(status.sharding);
  showSources(status.sources);
  showWrites(status.writesPerMinute);
  showRecording(status.recording);
  showRecent(status.recent);
  showLink(`live, ${timeOf(status.at)} UTC`, '');
};
events.onerror = () => showLink('connection lost, what is shown may be old', 'lost');
