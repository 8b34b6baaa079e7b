/** Record → items and rows, as the page gets them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordLine } from '../../../operator/flight/record-line.ts';
import { timelineOf } from '../../../operator/flight/timeline/timeline-of-record.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import {
  busyRecord,
  chunk,
  deployment,
  exampleRecord,
  WEBSITES,
  website,
} from './example-record.ts';
import {
  answer,
  itemOf,
  KEY,
  STATE,
  shown,
  stateOf,
  textOf,
  watchOf,
  write,
} from './lines-and-items.ts';

test('the timeline links a change with the key that it enqueues, the reconcile, and its write', () => {
  const data = timelineOf(
    exampleRecord([
      STATE,
      { kind: 'cached', at: 0, source: WEBSITES, objects: [website('shop', 10, 1)] },
      ...watchOf('websites', 1, { carried: true }),
      chunk(10, 1, { type: 'MODIFIED', object: website('shop', 11, 3) }),
      { kind: 'wake', at: 11, ...KEY, cause: 'Website web/shop', via: 'for', priority: 5 },
      { kind: 'begin', at: 15, ...KEY, id: 7, attempt: 2, waitedMs: 4 },
      write(),
      ...answer(200, deployment('shop', 12, 3)),
      { kind: 'outcome', at: 30, ...KEY, id: 7, result: 'requeue_after', requeueAfterMs: 60_000 },
    ]),
  );

  expect(shown(data)).toEqual([
    'Leadership 0–600000 leader: leads',
    `${WEBSITES} 0–600000 watch: watching`,
    `${WEBSITES} 10 change: Website web/shop changed`,
    'web/shop 11 wake: woken by Website web/shop (for)',
    'web/shop 15–30 reconcile: reconcile succeeded after 15 ms, again in 1 min',
    'web/shop 20–25 write: apply Deployment web/shop, answered with 200 after 5 ms',
  ]);
  const write1 = itemOf(data, 'write');
  expect(write1).toMatchObject({ attempt: 7 });
  expect(textOf(data, write1?.sent)).toBe('spec:\n  replicas: 3');
  expect(stateOf(data, write1, 'version')).toContain('resourceVersion: "12"');
  expect(stateOf(data, write1, 'before')).toBe('none');
  const change = itemOf(data, 'change');
  expect(stateOf(data, change, 'before')).toContain('resourceVersion: "10"');
  expect(stateOf(data, change, 'version')).toContain('replicas: 3');
  expect(itemOf(data, 'wake')).toMatchObject({ version: 1, before: 0, facts: [['Priority', '5']] });
  expect(itemOf(data, 'reconcile')).toMatchObject({
    attempt: 7,
    waitedMs: 4,
    version: 1,
    facts: [['Attempt', 'after 2 failures in a row']],
  });
});

test('the timeline compares a reconcile with what the previous attempt read', () => {
  const begin = (at: number, id: number): RecordLine => ({
    ...{ kind: 'begin', at, ...KEY, id, attempt: 0, waitedMs: 0 },
  });
  const data = timelineOf(
    exampleRecord([
      STATE,
      { kind: 'cached', at: 0, source: WEBSITES, objects: [website('shop', 10, 1)] },
      ...watchOf('websites', 1),
      begin(5, 1),
      ...[11, 12, 13].map((version) =>
        chunk(version, 1, { type: 'MODIFIED', object: website('shop', version, version) }),
      ),
      begin(20, 2),
      begin(21, 3),
    ]),
  );

  const reconciles = data.items.filter(({ kind }) => kind === 'reconcile');
  expect(reconciles.map(({ before, version }) => [before, version])).toEqual([
    [undefined, 0],
    [0, 3],
    [3, 3],
  ]);
  expect(reconciles.map(({ open, to }) => [open, to])).toEqual(Array(3).fill([true, 600_000]));
});

test('in the timeline a wait of a key ends with the attempt, with the next wait, or after its delay', () => {
  const held = (at: number, policy: string, forMs?: number): RecordLine => ({
    ...{ kind: 'held', at, ...KEY, policy },
    ...(forMs !== undefined && { forMs }),
  });
  const data = timelineOf(
    exampleRecord([
      STATE,
      held(10, 'write-loops', 500),
      held(20, 'parent'),
      { kind: 'begin', at: 100, ...KEY, id: 1, attempt: 0, waitedMs: 0 },
      { kind: 'outcome', at: 110, ...KEY, id: 1, result: 'success' },
      held(200, 'backoff', 300),
      held(1_000, 'parent'),
    ]),
  );

  const waits = data.items.filter(({ kind }) => kind === 'held');
  expect(waits.map(({ at, to, open }) => [at, to, open])).toEqual([
    [10, 20, undefined],
    [20, 100, undefined],
    [200, 500, undefined],
    [1_000, 600_000, true],
  ]);
});

test('the timeline shows what began before the record, but its time axis begins with the record', () => {
  const carried = { carried: true } as const;
  const data = timelineOf(
    exampleRecord(
      [
        { ...STATE, at: 500_000 },
        ...watchOf('websites', 1, { at: 10, ...carried }),
        { kind: 'begin', at: 20, ...KEY, id: 1, attempt: 0, waitedMs: 0, ...carried },
        { kind: 'outcome', at: 500_020, ...KEY, id: 1, result: 'aborted' },
        { kind: 'outcome', at: 500_030, ...KEY, id: 99, result: 'requeue' },
      ],
      { from: 500_000 },
    ),
  );

  expect(data.from).toBe(500_000);
  expect(shown(data)).toEqual([
    'web/shop 20–500020 reconcile: reconcile was aborted after 8 min 20 s',
    'Leadership 500000–600000 leader: leads',
    `${WEBSITES} 500000–600000 watch: watching`,
    'web/shop 500000–500030 reconcile: reconcile asked to be tried again after 30 ms',
  ]);
});

test.each([
  ['success', undefined, 'good'],
  ['requeue_after', undefined, 'good'],
  ['requeue', undefined, 'waiting'],
  ['aborted', undefined, 'off'],
  ['error', true, 'bad'],
  ['conflict', true, 'bad'],
  ['terminal', true, 'bad'],
  ['panic', true, 'bad'],
] as const)('the timeline shows whether a reconcile with the result %s failed', (result, failed, tone) => {
  const data = timelineOf(exampleRecord([{ kind: 'outcome', at: 5, ...KEY, id: 1, result }]));

  expect([itemOf(data, 'reconcile')?.failed, itemOf(data, 'reconcile')?.tone]).toEqual([
    failed,
    tone,
  ]);
});

test('the states of watches and of leadership are shown as consecutive bars', () => {
  const data = timelineOf(
    exampleRecord([
      { ...STATE, leads: false },
      { kind: 'leader', at: 100, leads: true, holder: 'a' },
      { kind: 'watch', at: 5, source: WEBSITES, state: 'listing' },
      { kind: 'watch', at: 10, source: WEBSITES, state: 'watching', resourceVersion: '7' },
      { kind: 'watch', at: 12, source: WEBSITES, state: 'watching' },
      { kind: 'watch', at: 50, source: WEBSITES, state: 'failing', note: 'it broke' },
      { kind: 'leader', at: 200, leads: false, holder: 'b' },
      { kind: 'leader', at: 300, group: 3, leads: true },
    ]),
  );

  expect(shown(data)).toEqual([
    'Leadership 0–100 leader: does not lead',
    `${WEBSITES} 5–10 watch: listing`,
    `${WEBSITES} 10–50 watch: watching`,
    `${WEBSITES} 50–600000 watch: failing: it broke`,
    'Leadership 100–200 leader: leads',
    'Leadership 200–600000 leader: does not lead, b does',
    'Leadership of group 3 300–600000 leader: leads',
  ]);
  expect(data.items.filter(({ failed }) => failed)).toHaveLength(1);
});

test('facts that later segments of a record repeat are shown only once', () => {
  const known: readonly RecordLine[] = [
    { kind: 'cached', at: 0, source: WEBSITES, objects: [website('shop', 10, 1)] },
    { kind: 'queued', at: 0, ...KEY, state: 'delayed', dueInMs: 2_000, failures: 1, priority: 0 },
    { kind: 'begin', at: 0, ...KEY, id: 1, attempt: 0, waitedMs: 0, carried: true },
    { ...write({ id: 80, at: 0 }), carried: true } as RecordLine,
  ];
  const once = timelineOf(exampleRecord([STATE, ...known]));
  const twice = timelineOf(
    exampleRecord([STATE, ...known, { ...STATE, at: 60_000, segment: 1 }, ...known]),
  );

  expect(shown(twice)).toEqual(shown(once));
  expect(shown(once)).toContain(
    'web/shop 0 wake: in the queue when the record began: delayed, due in 2 s',
  );
});

test('the timeline shows jumps of the clock, but not small drifts', () => {
  const began = Date.parse('2030-01-01T12:00:00Z');
  const data = timelineOf(
    exampleRecord([
      STATE,
      { kind: 'clock', at: 1_000, wall: began + 1_400 },
      { kind: 'clock', at: 2_000, wall: began + 2_000 + 3 * 3_600_000 },
      { kind: 'clock', at: 3_000, wall: began },
    ]),
  );

  expect(data.walls).toEqual([
    [0, began],
    [2_000, began + 10_802_000],
    [3_000, began],
  ]);
  expect(shown(data).filter((text) => text.includes('clock:'))).toEqual([
    'Wall clock 2000 clock: the wall clock jumped forward by 3 h',
    'Wall clock 3000 clock: the wall clock jumped back by 3 h',
  ]);
});

test('an empty record has a timeline, and the timeline of a truncated record ends where the record was cut', () => {
  const nothing = timelineOf(
    exampleRecord([], { began: 'never', sources: [], controllers: [], to: 0 }),
  );
  const cut = timelineOf(
    exampleRecord([STATE, { kind: 'begin', at: 42, ...KEY, id: 1, attempt: 0, waitedMs: 0 }], {
      cutOff: 'line 4 ends in its middle',
      truncated: 'the ring was full',
    }),
  );

  expect(nothing).toMatchObject({ items: [], rows: [], walls: [[0, 0]], from: 0, to: 0 });
  expect(cut).toMatchObject({ to: 42, items: [{ to: 42 }, { to: 42, open: true }] });
  expect(cut.warnings).toEqual([
    'The record was cut off: line 4 ends in its middle.',
    'The record covers less than it should: the ring was full.',
  ]);
});

test('the timeline omits the oldest items beyond a limit, and reports that', () => {
  const record = busyRecord({ events: 50, keys: 4 });

  const data = timelineOf({ ...record, unknownLines: 2 }, { items: 30, lineNumbers: 500 });

  expect(data.items).toHaveLength(30);
  expect(data.items.map(({ at }) => at)).toEqual(
    timelineOf(record)
      .items.slice(-30)
      .map(({ at }) => at),
  );
  expect(data.warnings).toEqual([
    expect.stringMatching(
      /^Left out: the \d+ oldest events, because the page has room for 30; \d+ states of objects, because the page would be too large; 2 lines of a kind that this version does not know\.$/,
    ),
  ]);
});

test('rows are grouped, and names with numbers are sorted by the numbers', () => {
  const begin = (controller: string, key: string, id: number): RecordLine => ({
    ...{ kind: 'begin', at: id, controller, key, id, attempt: 0, waitedMs: 0 },
  });
  const data = timelineOf(
    exampleRecord([
      begin('unknown', 'x', 1),
      begin('website', 'web/a-10', 2),
      begin('website', 'web/a-9', 3),
      { kind: 'watch', at: 4, source: WEBSITES, state: 'watching' },
      { kind: 'log', at: 5, level: 'fatal', message: 'crash', fields: { code: 3 } },
      { kind: 'log', at: 6, level: 'warn', message: 'slow', fields: KEY },
      STATE,
    ]),
  );

  expect(data.rows.map(({ heading, name }) => `${heading}: ${name}`)).toEqual([
    'Process: Leadership',
    'Process: Log',
    `Sources: ${WEBSITES}`,
    'website: web/a-9',
    'website: web/a-10',
    'website: web/shop',
    'unknown: x',
  ]);
});

test('items are sorted by time, and refer only to existing items', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 200 }),
      fc.nat(),
      (keys, events, seed) => {
        const data = timelineOf(busyRecord({ keys, events, seed }));

        const times = data.items.map(({ at }) => at);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(data.items.filter(({ row }) => data.rows[row] === undefined)).toEqual([]);
        for (const { object, version, before, sent } of data.items) {
          const { versions = [] } = data.objects[object ?? -1] ?? {};
          for (const index of [version, before]) {
            if (index !== undefined) expect(data.texts[versions[index]?.text ?? -1]).toBeDefined();
          }
          if (sent !== undefined) expect(data.texts[sent]).toBeDefined();
        }
      },
    ),
    propertyRuns(0.1),
  );
});
