/** docs/debugging.md: its operators, and its commands as somebody types them. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { replayIncident } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { chancery, folderWith } from '../cli/child.ts';
import { configMap, MadeRecord, PATH } from '../flight/replay/made-record.ts';
import { writeRecord } from '../flight/replay/record-file.ts';

const page = readFileSync(new URL('../../docs/debugging.md', import.meta.url), 'utf8');

function fileOf(name: string): string {
  const [, text = ''] =
    new RegExp(`<!-- file: ${name} -->\n\`\`\`ts\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  return text;
}

/** The indented commands of the page; each is followed by what it prints, where the page shows that. */
const commands = page
  .split('\n')
  .filter((line) => line.startsWith('    chancery replay'))
  .map((line) => line.trim().split(' ').slice(1));

function copyOf(name: string, resourceVersion: string): KubernetesObject {
  const copy = configMap(name, resourceVersion, { a: '1' });
  return { ...copy, metadata: { ...copy.metadata, labels: { 'copy-of': 'web' } } };
}

function created(answer: KubernetesObject): Parameters<MadeRecord['attempt']>[2][number] {
  const metadata = { generateName: 'web-', namespace: 'demo', labels: { 'copy-of': 'web' } };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1' } };
  return { method: 'POST', path: `${PATH}?fieldManager=copy&fieldValidation=Warn`, body, answer };
}

/** Two changes in a row. The copy of the first attempt reaches the cache after the second attempt. */
function twoCopies(): MadeRecord {
  const [first, second] = [copyOf('web-x7k2p', '12'), copyOf('web-m4q9z', '14')];
  return new MadeRecord()
    .event(2_000, 'ADDED', configMap('web', '11', { a: '1' }))
    .attempt(2_001, 'demo/web', [created(first)])
    .event(2_020, 'MODIFIED', configMap('web', '13', { a: '1' }))
    .attempt(2_021, 'demo/web', [created(second)])
    .event(2_071, 'ADDED', first)
    .event(2_072, 'ADDED', second);
}

function incidentFolder(): string {
  const [operator, fixed] = [fileOf('operator.ts'), fileOf('fixed.ts')];
  const folder = folderWith({ 'operator.ts': operator, 'fixed.ts': fixed });
  mkdirSync(join(folder, 'records'));
  const sha256 = createHash('sha256').update(operator).digest('hex');
  const made = twoCopies().header({ modules: [{ path: '/app/operator.ts', sha256 }] });
  writeRecord(join(folder, 'records', 'flight.jsonl.gz'), made.record());
  return folder;
}

test('an incident from its record to the fixed operator', async () => {
  const folder = incidentFolder();
  const run = (args: readonly string[]) =>
    chancery(args.map((word) => (/\.(?:ts|gz)$/.test(word) ? join(folder, word) : word)));
  const [replayed = [], toTest = [], fixed = []] = commands;

  const again = run(replayed);
  expect(await again.exit).toBe(0);
  expect(page).toContain(`    ${again.stdout.lines[0]}\n`);

  const written = run(toTest);
  expect(await written.exit).toBe(0);
  const made = readFileSync(join(folder, 'web.test.ts'), 'utf8');
  expect(made).toContain('expect(end.objects).not.toEqual([');

  const left = run(fixed);
  expect(await left.exit).toBe(1);
  const [, where = ''] = /^ {4}(the replay leaves the record at .*)$/m.exec(page) ?? [];
  expect(left.stdout.lines[0]).toContain(where);

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
    return objects.filter(({ metadata }) => metadata.labels?.['copy-of'] === 'web').length;
  };
  expect(await copiesBy('operator.ts')).toBe(2);
  expect(await copiesBy('fixed.ts')).toBe(1);
});
