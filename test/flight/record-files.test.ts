/** Files of records: what a folder has, and what happens when it cannot be written or read. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Flight } from '../../operator/flight/flight-recorder.ts';
import { readRecord } from '../../operator/flight/read-record.ts';
import { RecordFiles } from '../../operator/flight/record-files.ts';
import { folderWith } from '../cli/child.ts';

const FACTS = { settings: {}, arguments: [], modules: () => [], environment: {} };
const FLIGHT: Flight = {
  lines: [
    { kind: 'state', at: 1, segment: 0, random: 1, leads: true },
    { kind: 'wake', at: 2.00004, controller: 'c', key: 'demo/a', cause: 'trigger' },
  ],
  ...{ beganWallMs: Date.UTC(2026, 0, 2), from: 1, to: 3_000, truncated: undefined },
  ...{ controllers: [], sources: [], limits: { minutes: 10, megabytes: 64 } },
};

function filesIn(folder: string) {
  const warnings: object[] = [];
  const log = { info() {}, warn: (fields: object) => void warnings.push(fields) };
  return { files: new RecordFiles({ folder, facts: FACTS, log }), warnings };
}

describe('writing record files', () => {
  test("a record's file name has its time and reason, and only the owner can read the file", async () => {
    const folder = join(folderWith({}), 'new', 'records');
    const { files } = filesIn(folder);

    await files.prepare();
    const path = await files.write(FLIGHT, 'stuck', 'c has been reconciling demo/a');

    expect(path).toBe(join(folder, 'flight-2026-01-02T00-00-03-000Z-stuck.jsonl.gz'));
    expect(statSync(path ?? '').mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const { header, lines, cutOff } = await readRecord(path ?? '');
    expect(header).toMatchObject({
      reason: 'stuck',
      began: '2026-01-02T00:00:00.000Z',
      from: 1,
      to: 3_000,
    });
    expect(lines).toEqual([FLIGHT.lines[0], { ...FLIGHT.lines[1], at: 2 }]);
    expect(cutOff).toBeUndefined();
  });

  test('for each reason only the three newest records are kept, and other files are not removed', async () => {
    const folder = folderWith({ 'flight-notes.txt': 'mine' });
    const { files } = filesIn(folder);
    const later = (ms: number): Flight => ({ ...FLIGHT, to: ms });

    await files.write(later(1), 'asked');
    for (const ms of [2, 3, 4, 5]) await files.write(later(ms), 'crash');

    expect(readdirSync(folder).map((name) => name.replace(/^flight-2026.*T00-00-00-/, ''))).toEqual(
      [
        ...['001Z-asked', '003Z-crash', '004Z-crash', '005Z-crash'].map((end) => `${end}.jsonl.gz`),
        'flight-notes.txt',
      ],
    );
  });

  test('two operators can write records into one folder in the same millisecond', async () => {
    const folder = folderWith({});
    const [a, b] = [filesIn(folder), filesIn(folder)];

    const paths = await Promise.all([
      a.files.write(FLIGHT, 'asked'),
      b.files.write(FLIGHT, 'asked'),
    ]);

    expect(new Set(paths).size).toBe(2);
    for (const path of paths) expect((await readRecord(path ?? '')).cutOff).toBeUndefined();
  });

  test.each([
    ['a file', 'file'],
    ['below a file', 'file/below'],
  ])('if the folder is %s, the recorder logs that, and nothing else fails', async (_, name) => {
    const folder = join(folderWith({ file: '' }), name);
    const { files, warnings } = filesIn(folder);

    await files.prepare();

    expect(await files.write(FLIGHT, 'asked')).toBeUndefined();
    expect(warnings).toMatchObject([{ folder }, { folder }]);
  });

  test('if writing a record fails, no file is left behind', async () => {
    const folder = folderWith({});
    const warnings: object[] = [];
    const files = new RecordFiles({
      folder,
      facts: {
        ...FACTS,
        modules: () => {
          throw new Error('no space left on device');
        },
      },
      log: { info() {}, warn: (fields) => void warnings.push(fields) },
    });

    expect(await files.write(FLIGHT, 'asked')).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    expect(warnings).toEqual([{ folder, reason: 'no space left on device' }]);
  });
});

describe('reading record files', () => {
  const HEADER = {
    ...{
      kind: 'header',
      format: 'chancery-flight-record',
      version: 1,
      toolkit: '0.1.0',
      node: 'v24',
    },
    ...{ began: '', from: 0, to: 1, reason: 'asked', settings: {}, arguments: [], modules: [] },
    ...{ controllers: [], sources: [], limits: { minutes: 1, megabytes: 1 } },
  };
  const WAKE = { kind: 'wake', at: 1, controller: 'c', key: 'a', cause: 'x' };
  const fileOf = (...lines: readonly (object | string)[]): string => {
    const text = lines
      .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
      .join('\n');
    const path = join(folderWith({}), 'r.jsonl.gz');
    writeFileSync(path, gzipSync(`${text}\n`));
    return path;
  };

  test('a truncated record is read up to its end', async () => {
    const noise = Array.from({ length: 2_000 }, (_, at) => ({
      ...WAKE,
      at,
      key: `k${Math.sin(at)}`,
    }));
    const path = fileOf(HEADER, ...noise, { kind: 'end', lines: 2_001 });
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length / 2));

    const record = await readRecord(path);

    expect(record.lines.length).toBeGreaterThan(100);
    expect(record.lines).toEqual(noise.slice(0, record.lines.length));
    expect(record.cutOff).toMatch(/^line \d+ ends in its middle$|no line that says/);
  });

  test.each([
    ['its end is missing', [HEADER, WAKE], 'it has no line that says it is whole'],
    [
      'lines are missing',
      [HEADER, WAKE, { kind: 'end', lines: 3 }],
      'it has 2 lines, and its end says 3',
    ],
  ])('a truncated record is recognised: %s', async (_, lines, expected) => {
    expect((await readRecord(fileOf(...lines))).cutOff).toBe(expected);
  });

  test('lines of kinds that only a later version knows are skipped and counted', async () => {
    const record = await readRecord(
      fileOf(HEADER, { kind: 'later' }, WAKE, { kind: 'end', lines: 3 }),
    );

    expect(record).toMatchObject({ lines: [WAKE], unknownLines: 1 });
    expect(record.cutOff).toBeUndefined();
  });

  test.each([
    ['another version', [{ ...HEADER, version: 2 }], /version 2, and this toolkit reads version 1/],
    ['another file', [{ kind: 'Pod' }], /its first line is not the header/],
    ['no line at all', [''], /line 1 is not JSON/],
    ['two headers', [HEADER, HEADER], /two headers/],
    ['a line after the end', [HEADER, { kind: 'end', lines: 1 }, WAKE], /line 3 follows its end/],
    [
      'a damaged line',
      [HEADER, '{"kind":"wake","at":"secret"}'],
      /line 2 has kind wake and no usable member at/,
    ],
    ['a line that is not JSON', [HEADER, 'secret'], /line 2 is not JSON$/],
  ])('the reader refuses a record with %s', async (_, lines, message) => {
    const reading = readRecord(fileOf(...lines));

    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.not.toThrow(/secret/);
  });

  test('the reader refuses a file that exceeds the limits, is not compressed, or does not exist', async () => {
    const path = fileOf(HEADER, { ...WAKE, cause: 'x'.repeat(100_000) });
    const plain = join(folderWith({ 'r.jsonl.gz': '{}' }), 'r.jsonl.gz');

    await expect(readRecord(path, { chars: 1_000 })).rejects.toThrow('more than 1000 characters');
    await expect(readRecord(path, { lineChars: 50_000 })).rejects.toThrow(
      'line 2 has more than 50000',
    );
    await expect(readRecord(plain)).rejects.toThrow('it is not compressed, as records of');
    await expect(readRecord(join(plain, 'none'))).rejects.toThrow('cannot read the flight record');
  });
});
