import { expect, test } from 'vitest';
import type {
  RecordedExchange,
  RecordLimits,
} from '../../../operator/cli/record/recorded-exchange.ts';
import { RECORD_LIMITS } from '../../../operator/cli/record/recorded-exchange.ts';
import { Recording } from '../../../operator/cli/record/recording.ts';

function exchange(id: number, path = '/version', answer: object = {}): RecordedExchange {
  const body = JSON.stringify(answer);
  return {
    ...{ id, at: id },
    request: { method: 'GET', path, headers: {} },
    response: { status: 200, headers: {}, body },
  };
}

/** A file in memory. */
function memory(fails?: Error): {
  readonly lines: string[];
  readonly file: ConstructorParameters<typeof Recording>[0];
} {
  const lines: string[] = [];
  return {
    lines,
    file: {
      path: 'recording.jsonl',
      append: async (line) => {
        if (fails !== undefined) throw fails;
        lines.push(line);
      },
      finish: async (last) => void lines.splice(0, lines.length, ...lines.map(last)),
      abandon: async () => {},
    },
  };
}

function recording(more: Partial<RecordLimits> = {}): {
  readonly lines: string[];
  readonly told: string[];
  readonly own: Recording;
} {
  const { lines, file } = memory();
  const told: string[] = [];
  const events = { failed: expect.unreachable, full: () => void told.push('full') };
  return { lines, told, own: new Recording(file, { ...RECORD_LIMITS, ...more }, events) };
}

test.each([
  { exchanges: 2 },
  { fileBytes: 2 * Buffer.byteLength(`${JSON.stringify(exchange(1))}\n`) },
])('the recording stops at the limit %j, and a message says so', async (limit) => {
  const { lines, told, own } = recording(limit);

  for (const id of [1, 2, 3, 4]) own.add(exchange(id));
  await own.end();

  expect(lines.map((line) => JSON.parse(line).id)).toEqual([1, 2]);
  expect(told).toEqual(['full']);
  expect(own.summary()).toBe(
    'recording.jsonl: 2 exchanges; 2 left out: 2 beyond the limits of a recording\n',
  );
});

test('the recording stops if there are too many values of Secrets to search for', async () => {
  const { lines, own } = recording({ secretValues: 2 });
  const data = { a: 'b25l', b: 'dHdv', c: 'dGhyZWU=' };

  own.add(exchange(1, '/api/v1/secrets', { kind: 'Secret', data }));
  own.add(exchange(2));
  await own.end();

  expect(lines).toHaveLength(1);
});

test('if a secret value is recorded before its Secret, the value is replaced when the recording ends', async () => {
  const { lines, own } = recording();
  const value = 'moonlight-sonata';

  own.add(exchange(1, '/api/v1/pods', { message: `saw ${value}` }));
  own.add(exchange(2, '/api/v1/secrets', { data: { a: Buffer.from(value).toString('base64') } }));
  await own.end();

  expect(lines[0]).toContain('saw redacted-1');
});

test('a full disk is reported once, and makes the recording fail', async () => {
  const failure = new Error('ENOSPC: no space left on device');
  const told: unknown[] = [];
  const own = new Recording(memory(failure).file, RECORD_LIMITS, {
    failed: (error) => void told.push(error),
    full: () => {},
  });

  own.add(exchange(1));
  own.add(exchange(2));

  await expect(own.end()).rejects.toBe(failure);
  expect(told).toEqual([failure]);
});
