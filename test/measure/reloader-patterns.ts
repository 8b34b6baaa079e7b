/**
 * What a hostile user of one namespace costs the others: Deployments whose annotations have patterns that cost as much as
 * the limits of the reloader example let them, beside 2,000 ConfigMaps with the longest names. Meanwhile a Secret of
 * another namespace changes each second, and its Deployment must restart.
 * `npm run measure -- reloader-patterns`, or with `--built` as in its image, see `reloader.ts`. Five runs; a figure is the
 * median, and in brackets the least and the most. Linux only. See docs/performance.md.
 */
import { setTimeout as after } from 'node:timers/promises';
import { configMap, deployment, freePort } from '@chancery/testing';
import { machineLoad, peakMB, row } from './figures.ts';
import { type LongestTurn, longestTurn, WATCHING } from './longest-turn.ts';
import {
  answered,
  IS_BUILT,
  type Surroundings,
  startOperator,
  stopOperator,
  withReloaderServer,
} from './reloader-process.ts';

const RUNS = 5;
const NAMES = 2_000;
const NEIGHBOURS = 10;
const HOSTILE_NAMESPACE = 'team-0';
const RELOAD = 'configmap.reloader.stakater.com/reload';
const POLL_MS = 100;

/** Each 124 KB long. No two of their entries are the same. */
const HOSTILE: readonly ((at: number) => string)[] = [
  () => '\\pL*'.repeat(120),
  () => '(?i)[a-\\x{10ffff}]',
  (at) => `.*[ab].*[bc].{${(at % 90) + 9}}.*[ac]`,
  () => '(a|b)*a.{90}',
  () => '(?:a*b*c*d*)*x',
  () => '((((a?)*)*)*)*y',
  () => '(|a)'.repeat(90),
  () => '(?i)[\\0-\\777]'.repeat(30),
  () => '(?:(?:b{9}){9}){9}',
  () => '{7}(?U)'.repeat(60),
];

function hostileText(kind: number): string {
  const entry = HOSTILE[kind] ?? (() => 'a');
  const entries: string[] = [];
  for (let at = 0, bytes = 0; bytes < 124_000; at++) {
    const text = `(?:${at}-${kind})?${entry(at)}`;
    entries.push(text);
    bytes += text.length + 1;
  }
  return entries.join(',');
}

interface Figures extends LongestTurn {
  readonly peakMB: number;
  /** From the change of a Secret until its Deployment restarts: 2 s are the debounce. */
  readonly slowestSeconds: number;
  /** Until every hostile Deployment has its Warning. */
  readonly warnedSeconds: number;
}

const all: Figures[] = [];
process.stdout.write(
  `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}; ${HOSTILE.length} Deployments with 124 KB of patterns, ${NAMES} names; load ${machineLoad()}\n`,
);
for (let run = 0; run < RUNS; run++) {
  await withReloaderServer([NEIGHBOURS, NEIGHBOURS, NEIGHBOURS, 100], async (surroundings) => {
    all.push(await measure(surroundings));
  });
}
process.stdout.write(
  row(
    'longest turn, ms',
    all.map(({ ms }) => ms),
  ),
);
process.stdout.write(
  row(
    'longest turn, CPU ms',
    all.map(({ cpuMs }) => cpuMs),
  ),
);
process.stdout.write(
  row(
    'peak resident memory, MB',
    all.map((each) => each.peakMB),
  ),
);
process.stdout.write(
  row(
    'slowest restart of a neighbour, ms',
    all.map((each) => each.slowestSeconds * 1_000),
  ),
);
process.stdout.write(
  row(
    'until all are warned, ms',
    all.map((each) => each.warnedSeconds * 1_000),
  ),
);
process.stdout.write(`load ${machineLoad()}\n`);

async function measure(surroundings: Surroundings): Promise<Figures> {
  const { url, proxyUrl } = surroundings;
  for (let at = 0; at < NAMES; at++) {
    const name = `${'ab'.repeat(60)}${at.toString(2).padStart(12, '0').replaceAll('0', 'a').replaceAll('1', 'b')}${'abc'.repeat(40)}`;
    await write(
      `${url}/api/v1/namespaces/${HOSTILE_NAMESPACE}/configmaps`,
      'POST',
      configMap(name, {}),
    );
  }
  const healthPort = await freePort();
  const operator = startOperator(surroundings, proxyUrl, healthPort, WATCHING);
  try {
    await answered(operator, async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok);
    await answered(operator, async () => (await recorded(url)) === NEIGHBOURS - 1);
    await after(4_000); // longer than the debounce: the start is over
    await longestTurn(operator);
    const beganAt = performance.now();
    for (let kind = 0; kind < HOSTILE.length; kind++) {
      const annotations = { [RELOAD]: hostileText(kind) };
      const workload = deployment(`hostile-${kind}`, { namespace: HOSTILE_NAMESPACE, annotations });
      await write(
        `${url}/apis/apps/v1/namespaces/${HOSTILE_NAMESPACE}/deployments`,
        'POST',
        workload,
      );
    }
    let slowestSeconds = 0;
    for (let neighbour = 1; neighbour < NEIGHBOURS; neighbour++) {
      slowestSeconds = Math.max(slowestSeconds, await restartSeconds(url, neighbour));
    }
    await answered(operator, async () => (await warned(url)) === HOSTILE.length);
    const warnedSeconds = (performance.now() - beganAt) / 1_000;
    return {
      ...(await longestTurn(operator)),
      peakMB: peakMB(operator),
      slowestSeconds,
      warnedSeconds,
    };
  } finally {
    await stopOperator(operator);
  }
}

async function restartSeconds(url: string, neighbour: number): Promise<number> {
  const namespace = `${url}/api/v1/namespaces/team-${neighbour}`;
  const workload = `${url}/apis/apps/v1/namespaces/team-${neighbour}/deployments/web-${neighbour}`;
  const template = async (): Promise<string> => {
    const { spec } = (await (await fetch(workload)).json()) as { spec: { template: unknown } };
    return JSON.stringify(spec.template);
  };
  const before = await template();
  const data = { content: Buffer.from(`${performance.now()}`).toString('base64') };
  await write(`${namespace}/secrets/secret-${neighbour}`, 'PATCH', { data });
  const changedAt = performance.now();
  while ((await template()) === before) await after(POLL_MS);
  return (performance.now() - changedAt) / 1_000;
}

/** Neighbours whose baseline is recorded. */
async function recorded(url: string): Promise<number> {
  const items = await list(`${url}/apis/apps/v1/deployments`);
  return items.filter(
    ({ metadata }) =>
      metadata.namespace !== HOSTILE_NAMESPACE &&
      metadata.annotations?.['reloader.chancery.dev/baseline'] !== undefined,
  ).length;
}

/** Hostile Deployments with a Warning. */
async function warned(url: string): Promise<number> {
  const items = await list(`${url}/apis/events.k8s.io/v1/namespaces/${HOSTILE_NAMESPACE}/events`);
  const names = items.flatMap(({ type, regarding }) =>
    type === 'Warning' ? [regarding?.name] : [],
  );
  return new Set(names).size;
}

interface Listed {
  readonly metadata: {
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly type?: string;
  readonly regarding?: { readonly name?: string };
}

async function list(url: string): Promise<readonly Listed[]> {
  const { items } = (await (await fetch(url)).json()) as { readonly items: readonly Listed[] };
  return items;
}

async function write(url: string, method: string, body: object): Promise<void> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { 'content-type': type };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}`);
  await answer.arrayBuffer();
}
