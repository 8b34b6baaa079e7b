import { counted } from '../../core/text/counted.ts';
import { durationWords } from '../../core/text/duration-words.ts';
import type {
  ControllerStatus,
  ProcessStatus,
  SourceStatus,
} from '../../manager/status-page/process-status.ts';
import { type Column, columnLines } from './columns.ts';

const NOTHING = '-';

/** The status of an operator as lines for a terminal. Problems come first. */
export function statusLines(status: ProcessStatus): readonly string[] {
  const { controllers, failing = [], runnables, sources, recent } = status;
  return [
    ...processLines(status),
    ...section('Failing keys', failingLines(failing, controllers)),
    ...section('Controllers', controllerLines(controllers)),
    ...(runnables.length > 0 ? section('Runnables', runnableLines(runnables)) : []),
    ...(status.sharding ? section('Groups', groupLines(status.sharding)) : []),
    ...section('Sources', sourceLines(sources)),
    ...section('Latest reconciles', recentLines(recent.slice(0, 10))),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', title, ...(lines.length > 0 ? lines : ['  none'])];
}

function processLines(status: ProcessStatus): readonly string[] {
  const { podName, podNamespace, controllers, ready, phase, leadership, sharding } = status;
  const name = podName || controllers.map((each) => each.name).join(', ') || 'operator';
  const facts = [ready ? 'ready' : 'NOT READY', phase];
  if (leadership) {
    facts.push(leadership.leads ? 'leads' : `stands by, ${leadership.holder || 'nobody'} leads`);
  }
  if (sharding) {
    const own = sharding.groups.filter((each) => each.phase === 'owning').length;
    facts.push(`works on ${own} of ${sharding.groups.length} groups`);
  }
  const writes = status.writesPerMinute.at(-1) ?? 0;
  const more = [
    `up ${durationWords(status.uptimeSeconds * 1_000)}`,
    ...(podNamespace ? [`namespace ${podNamespace}`] : []),
    `ambassador ${status.apiUrl}`,
    `chancery ${status.version}`,
    `${counted(writes, 'write')} in this minute`,
  ];
  return [`${name}: ${facts.join(', ')}`, `  ${more.join(', ')}`];
}

function failingLines(
  failing: ProcessStatus['failing'],
  controllers: readonly ControllerStatus[],
): readonly string[] {
  if (failing.length === 0) return [];
  const columns = [
    { head: 'KEY' },
    { head: 'CONTROLLER' },
    { head: 'FAILURES', isNumber: true },
    { head: 'SINCE' },
    { head: 'NEXT', isNumber: true },
    { head: 'LAST ERROR' },
  ] as const satisfies readonly Column[];
  const rows = failing.map((each) => [
    each.key,
    each.controller,
    each.failures === 0 ? NOTHING : each.failures,
    each.since === undefined ? NOTHING : timeOf(each.since),
    each.nextInMs === undefined ? NOTHING : durationWords(each.nextInMs),
    each.error ?? NOTHING,
  ]);
  const more = controllers.reduce((sum, each) => sum + each.failing, 0) - failing.length;
  return [
    ...columnLines(columns, rows),
    ...(more > 0 ? [`  and ${more} more`] : []),
    '  chancery why KEY says more about one of them',
  ];
}

function controllerLines(controllers: readonly ControllerStatus[]): readonly string[] {
  if (controllers.length === 0) return [];
  const columns = [
    { head: 'NAME' },
    { head: 'STATE' },
    ...[
      'BUSY',
      'READY',
      'LATER',
      'FAILING',
      'RECONCILES',
      'ERRORS',
      'MEDIAN',
      'SLOWEST',
      'LONGEST',
    ].map((head) => ({ head, isNumber: true }) as const),
  ];
  const rows = controllers.map((each) => [
    each.name,
    each.working ? 'working' : 'waiting',
    `${each.busy}/${each.workers}`,
    each.ready.reduce((sum, { keys }) => sum + keys, 0),
    each.delayed,
    each.failing,
    each.reconciles,
    each.errors,
    each.medianMs === undefined ? NOTHING : durationWords(each.medianMs),
    each.slowestMs === undefined ? NOTHING : durationWords(each.slowestMs),
    each.longestRunningSeconds > 0 ? durationWords(each.longestRunningSeconds * 1_000) : NOTHING,
  ]);
  return columnLines(columns, rows);
}

function runnableLines(runnables: ProcessStatus['runnables']): readonly string[] {
  return runnables.map(({ name, running }) => `  ${name}: ${running ? 'running' : 'waiting'}`);
}

function groupLines({ groups }: NonNullable<ProcessStatus['sharding']>): readonly string[] {
  const rows = groups.map(({ group, phase, holder }) => [group, phase, holder || 'nobody']);
  return columnLines(
    [{ head: 'GROUP', isNumber: true }, { head: 'HERE' }, { head: 'HOLDER' }],
    rows,
  );
}

function sourceLines(sources: readonly SourceStatus[]): readonly string[] {
  if (sources.length === 0) return [];
  const columns = [
    { head: 'RESOURCE' },
    { head: 'NAMESPACE' },
    { head: 'STATE' },
    { head: 'OBJECTS', isNumber: true },
    { head: 'CONTACT', isNumber: true },
    { head: 'LIST', isNumber: true },
    { head: 'SELECTOR' },
  ] as const satisfies readonly Column[];
  const ago = (seconds: number | undefined): string =>
    seconds === undefined ? 'never' : durationWords(seconds * 1_000);
  const rows = sources.map(({ state, health, ...each }) => [
    each.resource,
    each.namespace || 'all',
    health === 'healthy' || state === health ? state : `${state}, ${health}`,
    each.synced ? each.objects : 'not synced',
    ago(each.lastContactSeconds),
    ago(each.lastListSeconds),
    each.selector || NOTHING,
  ]);
  return columnLines(columns, rows);
}

function recentLines(recent: ProcessStatus['recent']): readonly string[] {
  if (recent.length === 0) return [];
  const columns = [
    { head: 'TIME' },
    { head: 'CONTROLLER' },
    { head: 'KEY' },
    { head: 'OUTCOME' },
    { head: 'TOOK', isNumber: true },
    { head: 'ERROR' },
  ] as const satisfies readonly Column[];
  const rows = recent.map((each) => [
    timeOf(each.at),
    each.controller,
    each.key,
    each.outcome,
    durationWords(each.durationMs),
    each.error ?? NOTHING,
  ]);
  return columnLines(columns, rows);
}

/** The time of day in an RFC 3339 time. */
function timeOf(iso: string): string {
  return `${iso.slice(11, 19)}Z`;
}
