/** docs/guides/operate/debugging.md: its operators, the record of a run in which the fault happens, and its commands as somebody types them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually, FakeClock, replayIncident } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { type Child, chancery, folderWith } from '../cli/child.ts';
import { startServer } from '../cli/server.ts';
import { guide } from './guide.ts';

const page = guide('guides/operate/debugging.md');

function fileOf(name: string): string {
  const [, text = ''] =
    new RegExp(`<!-- file: ${name} -->\n\`\`\`ts\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  return text;
}

/** The indented commands of the page, in their order. */
const commands = page
  .split('\n')
  .filter((line) => line.startsWith('    chancery '))
  .map((line) => line.trim().split(' ').slice(1));

/** The record as the page calls it. */
const RECORD = /\S*\.jsonl\.gz$/;

const COPIES = '/api/v1/namespaces/demo/configmaps';
/** Longer than anything takes here: it passes only when the test says so. */
const SLOW_MS = 60_000;

function isCopy({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.['copy-of'] === 'web';
}

/**
 * Runs the operator against a server with a slow write and a watch that is behind, until there are two copies.
 *
 * @param run - the command of the page, which records.
 * @returns the path of the record that it writes when it is asked.
 */
async function recorded(run: (url: string) => Child, records: string): Promise<string> {
  const clock = new FakeClock(Date.UTC(2026, 2, 1, 10));
  const slow = { verbs: ['create'], path: COPIES, count: 1, delayMs: SLOW_MS } as const;
  const server = await startServer({ clock, faults: [slow] });
  const child = run(server.url);
  const said = (text: string) =>
    child.stderr.until(() => child.stderr.lines.some((line) => line.includes(text)));
  await eventually(() => server.requests.some(({ query }) => query.has('watch')));

  server.create({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } },
    metadata: { name: 'web', namespace: 'demo' },
  } as KubernetesObject);
  await eventually(() => server.faults.applied[0] === 1);
  server.patch('v1', 'ConfigMap', 'demo', 'web', { data: { a: '2' } });
  server.setCacheLag(SLOW_MS);
  clock.advance(SLOW_MS);
  await eventually(() => server.list('v1', 'ConfigMap', 'demo').filter(isCopy).length === 2);
  server.setCacheLag(0);
  child.kill('SIGQUIT');
  await said('flight record written');
  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
  const [name = ''] = readdirSync(records);
  return join(records, name);
}

/** A line of the page, or of a command, without what differs from run to run. */
function withoutTimes(line = ''): string {
  return line.replaceAll(/\d+\.\d+ s\b/g, 'TIME');
}

test('the commands in debugging.md replay an incident and write a test, which the fix passes', async () => {
  const folder = folderWith({
    'operator.ts': fileOf('operator.ts'),
    'fixed.ts': fileOf('fixed.ts'),
  });
  const inFolder = (word: string): string =>
    /^records$|\.(?:ts|html)$/.test(word) ? join(folder, word) : word;
  const [recording = [], html = [], replayed = [], toTest = [], fixed = [], ...others] = commands;
  const record = await recorded(
    (url) => chancery(recording.map(inFolder), { CHANCERY_API_URL: url, WATCH_NAMESPACE: 'demo' }),
    join(folder, 'records'),
  );
  const run = (args: readonly string[]) =>
    chancery(args.map((word) => (RECORD.test(word) ? record : inFolder(word))));

  expect(others).toEqual([]);
  expect(RECORD.exec(replayed[1] ?? '')?.[0]).toMatch(/^records\/flight-\d{8}T\d{6}Z-asked\./);
  expect(await run(html).exit).toBe(0);
  expect(existsSync(join(folder, 'incident.html'))).toBe(true);

  const again = run(replayed);
  expect(await again.exit).toBe(0);
  expect(withoutTimes(page)).toContain(`    ${withoutTimes(again.stdout.lines[0])}\n`);

  const written = run(toTest);
  expect(await written.exit).toBe(0);
  const made = readFileSync(join(folder, 'web.test.ts'), 'utf8');
  expect(made).toContain('expect(end.objects).not.toEqual([');

  const left = run(fixed);
  expect(await left.exit).toBe(1);
  const [, where] = /^ {4}(the replay leaves the record at .*)$/m.exec(page) ?? [];
  expect(withoutTimes(left.stdout.lines[0])).toContain(withoutTimes(where));

  const [, incident = ''] = /INCIDENT: .* = (\[[\s\S]*\]);\n$/.exec(made) ?? [];
  const lines = JSON.parse(incident.replace(/,\n\]$/, '\n]')) as Parameters<
    typeof replayIncident
  >[0];
  const copiesBy = async (module: string): Promise<number> => {
    const operator = (await import(pathToFileURL(join(folder, module)).href)) as {
      default: Controller;
    };
    const { objects } = await replayIncident(lines, {
      controllers: [operator.default],
      key: 'demo/web',
    });
    return objects.filter(isCopy).length;
  };
  expect(await copiesBy('operator.ts')).toBe(2);
  expect(await copiesBy('fixed.ts')).toBe(1);
});
