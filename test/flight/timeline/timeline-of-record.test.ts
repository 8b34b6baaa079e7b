/** Record → items, rows and states of objects, as the page gets them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordLine } from '../../../operator/flight/record-line.ts';
import type {
  TimelineData,
  TimelineItem,
} from '../../../operator/flight/timeline/timeline-data.ts';
import { timelineOf } from '../../../operator/flight/timeline/timeline-of-record.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import {
  busyRecord,
  chunk,
  DEPLOYMENTS,
  deployment,
  exampleRecord,
  WEBSITES,
  website,
} from './example-record.ts';
import { Texts } from './page-modules.ts';

const STATE: RecordLine = { kind: 'state', at: 0, segment: 0, random: 1, leads: true };
const KEY = { controller: 'website', key: 'web/shop' } as const;

/** Row, kind and words of each item, with its time. */
function shown({ items, rows }: TimelineData): readonly string[] {
  return items.map(({ row, kind, at, to, summary }) => {
    const time = to === undefined ? `${at}` : `${at}–${to}`;
    return `${rows[row]?.name} ${time} ${kind}: ${summary}`;
  });
}

function textOf(data: TimelineData, text: number | undefined): string {
  const texts = new Texts(data);
  return texts
    .numbers(text)
    .map((line) => texts.line(line))
    .join('\n');
}

/** The text of an item's object at its `version` or at its `before`. */
function stateOf(
  data: TimelineData,
  item: TimelineItem | undefined,
  at: 'version' | 'before',
): string {
  const index = item?.[at];
  const version =
    index === undefined ? undefined : data.objects[item?.object ?? -1]?.versions[index];
  return version === undefined ? 'none' : textOf(data, version.text);
}

function itemOf(
  data: TimelineData,
  kind: TimelineItem['kind'],
  place = 0,
): TimelineItem | undefined {
  return data.items.filter((item) => item.kind === kind).at(place);
}

function watchOf(
  plural: string,
  id: number,
  more: Partial<RecordLine> = {},
): readonly RecordLine[] {
  const group = plural === 'websites' ? 'example.dev/v1' : 'apps/v1';
  const path = `/apis/${group}/${plural}?watch=1&resourceVersion=1`;
  const request = { kind: 'request', at: 0, id, method: 'GET', path, purpose: 'watch' } as const;
  return [
    { ...request, ...more } as RecordLine,
    { kind: 'answer', at: 1, id, status: 200, headers: {} },
  ];
}

function write(changes: Partial<Extract<RecordLine, { kind: 'request' }>> = {}): RecordLine {
  return {
    kind: 'request',
    at: 20,
    id: 70,
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/web/deployments/shop?fieldManager=website',
    purpose: 'call',
    contentType: 'application/apply-patch+yaml',
    body: JSON.stringify({ spec: { replicas: 3 } }),
    by: { ...KEY, id: 7 },
    ...changes,
  };
}

function answer(status: number, body: unknown, at = 25, id = 70): readonly RecordLine[] {
  return [
    { kind: 'answer', at, id, status, headers: {} },
    { kind: 'chunk', at, id, text: JSON.stringify(body) },
    { kind: 'ended', at, id },
  ];
}

test('a change wakes a key, the key is reconciled, and the reconcile writes', () => {
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

test('a reconcile is compared with what the attempt before it saw', () => {
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

test('a watch event that is older than the answer to a write does not become what the operator knows', () => {
  const begin = {
    kind: 'begin',
    at: 40,
    ...KEY,
    key: 'web/shop',
    id: 8,
    attempt: 0,
    waitedMs: 0,
  } as const;
  const path = '/apis/example.dev/v1/namespaces/web/websites/shop/status';
  const data = timelineOf(
    exampleRecord([
      STATE,
      { kind: 'cached', at: 0, source: WEBSITES, objects: [website('shop', 9, 1)] },
      ...watchOf('websites', 1),
      write({ method: 'PUT', path }),
      ...answer(200, website('shop', 11, 4)),
      chunk(30, 1, { type: 'MODIFIED', object: website('shop', 10, 2) }),
      begin,
      chunk(50, 1, { type: 'MODIFIED', object: website('shop', 11, 4) }),
    ]),
  );

  expect(itemOf(data, 'write')).toMatchObject({
    summary: 'replace status of Website web/shop, answered with 200 after 5 ms',
    before: 0,
    version: 1,
  });
  expect(stateOf(data, itemOf(data, 'reconcile'), 'version')).toContain('resourceVersion: "11"');
  const [late, own] = data.items.filter(({ kind }) => kind === 'change');
  expect(stateOf(data, late, 'version')).toContain('resourceVersion: "10"');
  expect(stateOf(data, own, 'version')).toContain('resourceVersion: "11"');
  expect(data.objects[0]?.versions).toHaveLength(3); // the watch brings what the answer had
});

test('chunks of a watch may cut a line anywhere', () => {
  const text = [
    { type: 'ADDED', object: website('shöp', 10, 1) },
    { type: 'BOOKMARK', object: { kind: 'Website', metadata: { resourceVersion: '20' } } },
    { type: 'DELETED', object: website('shöp', 21, 1) },
  ]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');
  const cut = fc.array(fc.nat(text.length), { maxLength: 6 }).map((places) => {
    const ordered = [0, ...places, text.length].toSorted((a, b) => a - b);
    return ordered.slice(1).map((end, index) => text.slice(ordered[index], end));
  });

  fc.assert(
    fc.property(cut, (parts) => {
      const lines = parts.map((part): RecordLine => ({ kind: 'chunk', at: 5, id: 1, text: part }));
      const data = timelineOf(exampleRecord([STATE, ...watchOf('websites', 1), ...lines]));

      expect(shown(data).slice(1)).toEqual([
        `${WEBSITES} 5 change: Website web/shöp created`,
        `${WEBSITES} 5 change: Website web/shöp deleted`,
      ]);
      expect(data.objects[0]?.versions.at(-1)).toMatchObject({ deleted: true });
    }),
    propertyRuns(0.3),
  );
});

test('a list says what has changed and what is gone, page by page', () => {
  const list = (
    id: number,
    query: string,
    items: readonly unknown[],
    next = '',
  ): readonly RecordLine[] =>
    [
      write({ id, at: id, method: 'GET', path: `/apis/apps/v1/deployments?limit=2${query}` }),
      ...answer(200, { kind: 'DeploymentList', metadata: { continue: next }, items }, id + 1, id),
    ].map((line) => {
      const { by: _, body: __, ...rest } = line as { by?: unknown; body?: unknown } & RecordLine;
      return rest as RecordLine;
    });
  const without = ({ apiVersion: _, kind: __, ...rest }: ReturnType<typeof deployment>): unknown =>
    rest;
  const data = timelineOf(
    exampleRecord([
      STATE,
      {
        kind: 'cached',
        at: 0,
        source: DEPLOYMENTS,
        objects: ['a', 'b', 'c', 'd'].map((name) => deployment(name, 10, 1)),
      },
      ...list(100, '', [deployment('a', 10, 1), deployment('b', 12, 2)].map(without), 'more'),
      ...list(
        200,
        '&continue=more',
        [deployment('d', 10, 1), deployment('new', 13, 1)].map(without),
      ),
    ]),
  );

  expect(shown(data).filter((text) => text.includes('change:'))).toEqual([
    `${DEPLOYMENTS} 101 change: Deployment web/b changed, seen by a list`,
    `${DEPLOYMENTS} 201 change: Deployment web/c gone, seen by a list`,
  ]);
  expect(itemOf(data, 'read')).toMatchObject({
    summary: 'list deployments, answered with 200 after 1 ms',
  });
});

test('a watch that begins with all objects tells what is gone, too', () => {
  const path =
    '/apis/apps/v1/deployments?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const bookmark = {
    metadata: { resourceVersion: '30', annotations: { 'k8s.io/initial-events-end': 'true' } },
  };
  const data = timelineOf(
    exampleRecord([
      STATE,
      {
        kind: 'cached',
        at: 0,
        source: DEPLOYMENTS,
        objects: ['a', 'b'].map((name) => deployment(name, 10, 1)),
      },
      ...watchOf('deployments', 5, { path } as Partial<RecordLine>),
      chunk(10, 5, { type: 'ADDED', object: deployment('b', 10, 1) }),
      chunk(12, 5, { type: 'BOOKMARK', object: bookmark }),
    ]),
  );

  expect(shown(data).at(-1)).toBe(
    `${DEPLOYMENTS} 12 change: Deployment web/a gone, seen by a list`,
  );
});

test.each([
  [
    'a refusal',
    409,
    { kind: 'Status', reason: 'Conflict', message: 'it was changed' },
    true,
    'was refused after 5 ms: 409 Conflict',
  ],
  ['a body that is no JSON', 500, 'oops', true, 'was refused after 5 ms: 500'],
])('a write that fails by %s is an error, and shows what was there', (_, status, body, failed, words) => {
  const data = timelineOf(
    exampleRecord([
      STATE,
      { kind: 'cached', at: 0, source: DEPLOYMENTS, objects: [deployment('shop', 10, 1)] },
      write(),
      ...answer(status, body),
    ]),
  );

  const item = itemOf(data, 'write');
  expect(item).toMatchObject({ failed, summary: `apply Deployment web/shop ${words}`, before: 0 });
  expect(item?.version).toBeUndefined();
});

test.each([
  ['a read of what is not there', { method: 'GET' }, 404, 'read', undefined],
  ['a deletion of what is not there', { method: 'DELETE' }, 404, 'write', undefined],
  ['a read that is refused', { method: 'GET' }, 403, 'read', true],
  [
    'a dry run',
    { path: '/apis/apps/v1/namespaces/web/deployments/shop?dryRun=All' },
    200,
    'read',
    undefined,
  ],
  [
    'a question about rights',
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
    201,
    'read',
    undefined,
  ],
])('%s is told from a write and from an error', (_, changes, status, kind, failed) => {
  const data = timelineOf(exampleRecord([STATE, write(changes), ...answer(status, {})]));

  const [item] = data.items.filter(({ row }) => data.rows[row]?.name === 'web/shop');
  expect([item?.kind, item?.failed]).toEqual([kind, failed]);
});

test.each([
  ['an answer that never came', [], { open: true, to: 600_000 }],
  [
    'a connection that broke',
    [{ kind: 'ended', at: 26, id: 70, error: { code: 'CONNECTION_LOST', message: 'it broke' } }],
    { failed: true, to: 26 },
  ],
  [
    'a request that the operator gave up',
    [{ kind: 'ended', at: 26, id: 70, error: { code: 'ABORTED', message: 'it gave up' } }],
    { tone: 'off', to: 26 },
  ],
] as const)('a call with %s says so', (_, lines, expected) => {
  const data = timelineOf(exampleRecord([STATE, write(), ...lines]));

  expect(itemOf(data, 'write')).toMatchObject(expected);
});

test('a wait ends with the attempt, with the next wait, or when its time is over', () => {
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

test('states of watches and leadership are bars that follow each other', () => {
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

test('a watch that the server ends, refuses or loses is an error', () => {
  const data = timelineOf(
    exampleRecord([
      STATE,
      ...watchOf('websites', 1),
      chunk(10, 1, {
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' },
      }),
      ...watchOf('websites', 2).slice(0, 1),
      { kind: 'answer', at: 20, id: 2, status: 403, headers: {} },
      ...watchOf('websites', 3),
      { kind: 'ended', at: 30, id: 3, error: { code: 'CONNECTION_LOST', message: 'gone' } },
      ...watchOf('websites', 4),
      { kind: 'ended', at: 40, id: 4, error: { code: 'ABORTED', message: 'stop' } },
    ]),
  );

  expect(data.items.filter(({ failed }) => failed).map(({ at, summary }) => [at, summary])).toEqual(
    [
      [10, 'watch was ended by the server: 410 Expired'],
      [20, 'watch was refused: 403'],
      [30, 'watch broke off: CONNECTION_LOST'],
    ],
  );
});

test('later segments repeat what is known, and add nothing to it', () => {
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

test('a clock that jumps is an item, and its drift is none', () => {
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

test('a record of nothing has a page, and one that was cut off ends where it was cut', () => {
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

test('what a page has no room for is left out, the oldest first, and is told', () => {
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

test('rows stand in groups, and names with numbers in the order of the numbers', () => {
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

test('items are in the order of time, and point to what there is', () => {
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
