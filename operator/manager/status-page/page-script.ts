/**
 * What the page does, as the browser gets it. Text from a cluster goes through `textContent` only, so
 * that no name or error can be markup.
 */
export const SCRIPT: string = `
'use strict';
const $ = (id) => document.getElementById(id);
const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};
const ago = (seconds) => {
  if (seconds === undefined || seconds === null) return 'never';
  if (seconds < 60) return Math.round(seconds) + ' s';
  if (seconds < 3600) return Math.round(seconds / 60) + ' min';
  return (seconds / 3600).toFixed(1) + ' h';
};
const ms = (value) => {
  if (value === undefined || value === null) return '–';
  return value < 1000 ? value.toFixed(value < 10 ? 1 : 0) + ' ms' : (value / 1000).toFixed(1) + ' s';
};
const size = (bytes) => (bytes < 1048576 ? Math.ceil(bytes / 1024) + ' KiB' : (bytes / 1048576).toFixed(1) + ' MiB');

function table(id, heads, rows, empty) {
  const box = $(id);
  if (rows.length === 0) {
    box.replaceChildren(make('p', empty, 'dim'));
    return;
  }
  const whole = make('table');
  const head = make('thead').appendChild(make('tr'));
  for (const text of heads) {
    const cell = make('th', text);
    cell.scope = 'col';
    head.append(cell);
  }
  const body = make('tbody');
  for (const row of rows) {
    const line = make('tr');
    row.forEach((value, index) => {
      const [text, className] = Array.isArray(value) ? value : [value, ''];
      const cell = make('td');
      cell.dataset.label = heads[index];
      cell.append(make('span', String(text), className));
      line.append(cell);
    });
    body.append(line);
  }
  whole.append(head.parentNode, body);
  box.replaceChildren(whole);
}

function stateOf(source) {
  if (source.health === 'healthy') return [source.state, 'ok'];
  const bad = source.health === 'forbidden' || source.health === 'failing';
  const words = source.state === source.health ? source.state : source.state + ', ' + source.health;
  return [words, bad ? 'bad' : 'warn'];
}

function queueOf(controller) {
  if (controller.ready.length === 0) return ['empty', 'dim'];
  return [controller.ready.map(({ priority, keys }) => keys + ' at priority ' + priority).join(', '), ''];
}

function bars(counts) {
  const space = 'http://www.w3.org/2000/svg';
  const most = Math.max(1, ...counts);
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 ' + counts.length + ' 20');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'writes in each of the last ' + counts.length + ' minutes');
  counts.forEach((count, index) => {
    const bar = document.createElementNS(space, 'rect');
    const height = (20 * count) / most;
    bar.setAttribute('x', index + 0.1);
    bar.setAttribute('y', 20 - height);
    bar.setAttribute('width', 0.8);
    bar.setAttribute('height', height);
    svg.append(bar);
  });
  const text = counts[counts.length - 1] + ' in this minute, at most ' + Math.max(...counts) + ' in the last hour';
  $('writes').replaceChildren(svg, make('p', text, 'dim'));
}

function show(status) {
  const name = status.podName || status.controllers.map((each) => each.name).join(', ') || 'operator';
  $('name').textContent = name;
  document.title = name + ' – ' + (status.ready ? 'ready' : 'not ready');
  const badges = [make('span', status.ready ? 'ready' : 'not ready', 'badge ' + (status.ready ? 'ok' : 'bad'))];
  badges.push(make('span', status.phase, 'badge ' + (status.phase === 'running' ? 'ok' : 'warn')));
  const { leadership } = status;
  if (leadership) {
    const words = leadership.leads ? 'leader' : 'standby, ' + (leadership.holder || 'nobody') + ' leads';
    badges.push(make('span', words, 'badge ' + (leadership.leads ? 'ok' : 'warn')));
  }
  $('badges').replaceChildren(...badges);
  $('where').textContent = [
    status.podNamespace && 'namespace ' + status.podNamespace,
    'up ' + ago(status.uptimeSeconds),
    'ambassador ' + status.apiUrl,
    'chancery ' + status.version,
  ].filter(Boolean).join(' · ');
  table('controllers',
    ['Controller', 'State', 'Busy', 'Queue', 'Later', 'Failing', 'Reconciles', 'Errors', 'Median', 'Slowest', 'Longest running'],
    status.controllers.map((each) => [
      each.name,
      each.working ? ['working', 'ok'] : ['waiting', 'warn'],
      each.busy + ' of ' + each.workers,
      queueOf(each),
      each.delayed,
      [each.failing, each.failing > 0 ? 'bad' : ''],
      each.reconciles,
      [each.errors, each.errors > 0 ? 'warn' : ''],
      ms(each.medianMs),
      ms(each.slowestMs),
      each.longestRunningSeconds > 0 ? ago(each.longestRunningSeconds) : '–',
    ]), 'none');
  table('sources',
    ['Resource', 'Namespace', 'Selector', 'State', 'Objects', 'Memory', 'Last contact', 'Last list'],
    status.sources.map((each) => [
      each.resource,
      each.namespace || 'all',
      each.selector || '–',
      stateOf(each),
      each.synced ? each.objects : ['not synced', 'warn'],
      size(each.bytes),
      ago(each.lastContactSeconds),
      ago(each.lastListSeconds),
    ]), 'none');
  bars(status.writesPerMinute);
  table('recent',
    ['Time', 'Controller', 'Object', 'Outcome', 'Took', 'Error'],
    status.recent.map((each) => [
      each.at.slice(11, 19),
      each.controller,
      each.key,
      [each.outcome, each.error ? 'bad' : 'ok'],
      ms(each.durationMs),
      each.error ? [each.error, 'bad'] : '–',
    ]), 'none yet');
}

const events = new EventSource('status/events');
events.onmessage = ({ data }) => {
  const status = JSON.parse(data);
  show(status);
  $('link').textContent = 'live, ' + status.at.slice(11, 19) + ' UTC';
  $('link').className = '';
};
events.onerror = () => {
  $('link').textContent = 'connection lost, what is shown may be old';
  $('link').className = 'lost';
};
`;
