/** Hostile results of hooks for `hooks.ts`, and what is seen of a runner that reads one of them beside other hooks. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { longestTurn } from './longest-turn.ts';

const SECONDS = 20;

/** Each below 10 MB. */
export const HOSTILE: Readonly<Record<string, () => string>> = {
  '400,000 lines of "a: 1"': () => 'a: 1\n'.repeat(400_000),
  '2,000,000 brackets': () => '['.repeat(2_000_000),
  '900,000 documents': () => '{}\n'.repeat(900_000),
  '19,000 documents in 8.9 MB, the last of them wrong': () =>
    `${Array.from({ length: 18_999 }, (_, at) => patchOf(at, 300)).join('\n')}\n{}`,
  'three documents of 3 MB, the last of them wrong': () =>
    `${[0, 1, 2].map((at) => patchOf(at, 3_000_000)).join('\n')}\n{}`,
};

function patchOf(at: number, chars: number): string {
  const metadata = { name: `map-${at}`, namespace: 'team-0', labels: { row: `${at % 7}` } };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'x'.repeat(chars) } };
  return JSON.stringify({ operation: 'CreateOrUpdate', object });
}

/** A hook that leaves `text` as its patches, again and again, and one in another queue that runs every second. */
export function hostileHooks(dir: string, folder: string, text: string): void {
  writeFileSync(join(folder, 'result'), text);
  const record = join(folder, 'record');
  const every = (second: number, queue: string): string =>
    `{"configVersion":"v1","schedule":[{"name":"${queue}","crontab":"*/${second} * * * * *","queue":"${queue}"}]}`;
  const script = (config: string, name: string, work: string): string => `#!/bin/bash
if [ "$1" = --config ]; then echo '${config}'; exit; fi
echo "$EPOCHREALTIME ${name} 0 0" >> '${record}'
${work}
`;
  const hooks = {
    'bad.sh': script(
      every(2, 'bad'),
      'bad',
      `cat '${join(folder, 'result')}' > "$KUBERNETES_PATCH_PATH"`,
    ),
    'good.sh': script(every(1, 'good'), 'neighbour', ''),
  };
  for (const [name, code] of Object.entries(hooks)) {
    writeFileSync(join(dir, name), code);
    chmodSync(join(dir, name), 0o755);
  }
}

/** What is seen in 20 s. */
export async function servedBeside(
  runner: ChildProcess,
  folder: string,
): Promise<
  Record<'busyMs' | 'lateMs' | 'starts' | 'neighbours' | 'mostSecondsBetween' | 'peakMB', number>
> {
  const from = Date.now();
  await longestTurn(runner);
  await after(SECONDS * 1_000);
  const { ms: lateMs, cpuMs: busyMs } = await longestTurn(runner);
  const rowsOf = (file: string): readonly (readonly string[])[] =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' '));
  const runs = rowsOf('record').filter(([at]) => Number(at) * 1_000 > from);
  const neighbours = runs.filter(([, hook]) => hook === 'neighbour').map(([at]) => Number(at));
  const between = neighbours.slice(1).map((at, index) => at - (neighbours[index] ?? 0));
  return {
    lateMs,
    busyMs,
    starts: runs.length - neighbours.length,
    neighbours: neighbours.length,
    mostSecondsBetween: Math.max(...between),
    peakMB: 0,
  };
}
