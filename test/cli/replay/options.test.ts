/** Options of `chancery replay`, and records that it does not take as they are. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readRecord } from '../../../operator/flight/read-record.ts';
import { timelinePage } from '../../../operator/flight/timeline/timeline-page.ts';
import { copyIncident } from '../../flight/replay/copy-incident.ts';
import { configMap, type MadeRecord, PATH } from '../../flight/replay/made-record.ts';
import { chancery } from '../child.ts';
import { invoke } from '../invocation.ts';
import { incidentWith, OPERATOR, textOf } from './incident-folder.ts';

/** What it printed in this process, and its exit code. */
async function replayed(...args: readonly string[]) {
  const { exit, stdout, stderr } = invoke(['replay', ...args]);
  return { code: await exit, says: textOf(stdout), warns: textOf(stderr) };
}

/** As above, in a process of its own, which may load modules. */
async function replayedApart(...args: readonly string[]) {
  const { exit, stdout, stderr } = chancery(['replay', ...args]);
  return { code: await exit, says: textOf(stdout), warns: textOf(stderr) };
}

/** The incident, and another key whose copy was made otherwise than the operator makes it. */
function twoKeys(): MadeRecord {
  return copyIncident()
    .event(301_000, 'ADDED', configMap('blog', '21', { a: '1' }))
    .attempt(301_001, 'demo/blog', [
      {
        ...{ method: 'POST', path: `${PATH}?fieldManager=copy&fieldValidation=Warn` },
        body: { data: { a: 'recorded' } },
        answer: configMap('blog-copy', '22', { a: 'recorded' }),
      },
    ]);
}

it('with `--key`, only the attempts at that key are compared', async () => {
  const { record, operator } = incidentWith(OPERATOR, OPERATOR, twoKeys());

  const all = await replayedApart(record, operator);
  const one = await replayedApart(record, operator, '--key', 'demo/web');

  expect(all.code).toBe(1);
  expect(all.says).toContain('attempt 1 at demo/blog');
  expect(one.code).toBe(0);
  expect(one.says).toContain('the same as recorded');
});

it('`--html` writes a page, and overwrites another file only with `--force`', async () => {
  const { record } = incidentWith(OPERATOR);
  const page = join(dirname(record), 'flight.html');

  const first = await replayed(record, '--html', page);
  expect(first.code).toBe(0);
  const text = readFileSync(page, 'utf8');
  expect(text === timelinePage(await readRecord(record))).toBe(true);
  writeFileSync(page, 'mine');
  const second = await replayed(record, '--html', page);
  expect([second.code, readFileSync(page, 'utf8')]).toEqual([2, 'mine']);
  expect(second.warns).toContain('it exists already; --force overwrites it');
  await replayed(record, '--html', page, '--force');
  expect(readFileSync(page, 'utf8') === text).toBe(true);
});

it('a truncated record is replayed up to its end, with a message', async () => {
  const { record, operator } = incidentWith(OPERATOR);
  const lines = gunzipSync(readFileSync(record)).toString().split('\n');
  const second = lines.findIndex((line) => line.includes('"at":300000'));
  writeFileSync(record, gzipSync(`${lines.slice(0, second).join('\n')}\n{"kind":"chu`));

  const { code, says, warns } = await replayedApart(record, operator);

  expect(code).toBe(0);
  expect(warns).toMatch(/warning: the record was cut off \(line \d+ ends in its middle\)/);
  expect(says).toContain('the same as recorded: 1 attempt and 1 write');
});

it('a file with truncated compressed data is read as far as possible', async () => {
  const { record, operator } = incidentWith(OPERATOR);
  const whole = readFileSync(record);
  writeFileSync(record, whole.subarray(0, whole.length - 40));

  const { code, warns } = await replayedApart(record, operator);

  expect(code).toBe(0);
  expect(warns).toContain('warning: the record was cut off');
});

it('a record of another version is refused, and the error says which toolkit version can read it', async () => {
  const made = copyIncident().header({ version: 2, toolkit: '9.8.7' });
  const { record, operator } = incidentWith(OPERATOR, OPERATOR, made);

  const { code, warns } = await replayed(record, operator);

  expect(code).toBe(2);
  expect(warns).toContain('it has version 2, and this toolkit reads version 1');
  expect(warns).toContain('chancery 9.8.7');
});

it('a record with other controllers is refused, and `--force` replays the controllers that exist', async () => {
  const other = { name: 'other', for: 'configmaps', sources: ['configmaps'], workers: 1 };
  const copy = { ...other, name: 'copy' };
  const made = copyIncident().header({ controllers: [copy, other] });
  const { record, operator } = incidentWith(OPERATOR, OPERATOR, made);

  const refused = await replayedApart(record, operator);
  const forced = await replayedApart(record, operator, '--force');

  expect(refused.code).toBe(2);
  expect(refused.warns).toContain('the record is of copy, other, and the modules have copy');
  expect(refused.warns).toContain('--force');
  expect(forced.code).toBe(0);
  expect(forced.says).toContain('note: recorded, and not replayed: other');
});

it('even with `--force`, a record is refused if the modules have none of its controllers', async () => {
  const { record, operator } = incidentWith(OPERATOR.replace("'copy'", "'other'"), OPERATOR);

  const { code, warns } = await replayedApart(record, operator, '--force');

  expect(code).toBe(2);
  expect(warns).toContain('the record is of copy, and the modules have other');
});

it('`--to-test` writes no test if the replay differs from the record', async () => {
  const { record, operator } = incidentWith(OPERATOR.replace('-copy`', '-2-copy`'));
  const out = join(dirname(operator), 'web.test.ts');

  const { code, warns } = await replayedApart(record, operator, '--to-test', out);

  expect([code, existsSync(out)]).toEqual([1, false]);
  expect(warns).toContain('no test is written');
});
