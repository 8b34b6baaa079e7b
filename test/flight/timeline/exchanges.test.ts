/** Requests, answers and watches → items, and the states of objects that they brought. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordLine } from '../../../operator/flight/record-line.ts';
import { timelineOf } from '../../../operator/flight/timeline/timeline-of-record.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import {
  chunk,
  DEPLOYMENTS,
  deployment,
  exampleRecord,
  WEBSITES,
  website,
} from './example-record.ts';
import { answer, itemOf, KEY, STATE, shown, stateOf, watchOf, write } from './lines-and-items.ts';

test('an older watch event does not replace the state that the response to a write contained', () => {
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

test('the events of a watch are found wherever its chunks are split', () => {
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

test('changed and deleted objects are found in a list of several pages', () => {
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

test('a watch with sendInitialEvents also shows which objects were deleted', () => {
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
      ...watchOf('deployments', 6, { path } as Partial<RecordLine>),
      chunk(22, 6, { type: 'BOOKMARK', object: bookmark }),
    ]),
  );

  expect(shown(data).filter((text) => text.includes('change:'))).toEqual([
    `${DEPLOYMENTS} 12 change: Deployment web/a gone, seen by a list`,
    `${DEPLOYMENTS} 22 change: Deployment web/b gone, seen by a list`,
  ]);
});

test.each([
  [
    'a refusal',
    409,
    { kind: 'Status', reason: 'Conflict', message: 'it was changed' },
    true,
    'was refused after 5 ms: 409 Conflict',
  ],
  ['a body that is not JSON', 500, 'oops', true, 'was refused after 5 ms: 500'],
])('if a write fails by %s, the timeline shows an error, with the object as it was before the write', (_, status, body, failed, words) => {
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
  ['a read of a missing object', { method: 'GET' }, 404, 'read', undefined],
  ['a deletion of a missing object', { method: 'DELETE' }, 404, 'write', undefined],
  ['a read that is refused', { method: 'GET' }, 403, 'read', true],
  [
    'a dry run',
    { path: '/apis/apps/v1/namespaces/web/deployments/shop?dryRun=All' },
    200,
    'read',
    undefined,
  ],
  [
    'an access review',
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
    201,
    'read',
    undefined,
  ],
])('for %s the timeline shows whether it is a write, and whether it failed', (_, changes, status, kind, failed) => {
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
    'a request that the operator aborted',
    [{ kind: 'ended', at: 26, id: 70, error: { code: 'ABORTED', message: 'it gave up' } }],
    { tone: 'off', to: 26 },
  ],
] as const)('the timeline shows how a call ended: %s', (_, lines, expected) => {
  const data = timelineOf(exampleRecord([STATE, write(), ...lines]));

  expect(itemOf(data, 'write')).toMatchObject(expected);
});

test('if the API server ends, refuses or loses a watch, the timeline shows an error', () => {
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
