/** Each operation of a patch file, at an API server behind the ambassador of the lane. */
import { FakeClock, settleSockets } from '@chancery/testing';
import { expect, test } from 'vitest';
import { intercept } from '../../../operator/client/client-of.ts';
import { systemClock } from '../../../operator/core/clock.ts';
import { ApiError } from '../../../operator/model/status.ts';
import type { TransportRequest } from '../../../operator/transport/transport.ts';
import { collected, type Farm, shed, startFarm } from './support/patched-farm.ts';
import { configMap, named, preparedRun } from './support/patching.ts';

/** What the ConfigMap has. Undefined: there is no such ConfigMap. */
function dataOf({ server }: Farm, name: string): unknown {
  const object = server.get('v1', 'ConfigMap', 'farm', name);
  return (object as { readonly data?: unknown } | undefined)?.data;
}

const PATH = '/api/v1/namespaces/farm/configmaps';
const MANAGER = 'fieldManager=garden%2Frows.sh';
const DEPLOYMENT = '/apis/apps/v1/namespaces/farm/deployments/shed';

/** What is compared of a request. */
const shown = ({ method, path, headers, body }: TransportRequest): unknown[] => [
  `${method} ${path}`,
  ...(body === undefined ? [] : [headers?.['content-type'], JSON.parse(body)]),
];

test.each([
  [
    'Create',
    { object: configMap('new') },
    [[`POST ${PATH}?${MANAGER}`, 'application/json', configMap('new')]],
  ],
  [
    'CreateIfNotExists',
    { object: configMap('old', { trees: '9' }) },
    [[`POST ${PATH}?${MANAGER}`, 'application/json', configMap('old', { trees: '9' })]],
  ],
  ['Delete', named('old'), [...deletion('Foreground'), [`GET ${PATH}/old`]]],
  ['DeleteInBackground', named('old'), deletion('Background')],
  ['DeleteNonCascading', named('old'), deletion('Orphan')],
  [
    'MergePatch',
    { ...named('old'), mergePatch: 'data:\n  pears: "3"\n' },
    [[`PATCH ${PATH}/old?${MANAGER}`, 'application/merge-patch+json', { data: { pears: '3' } }]],
  ],
  [
    'JSONPatch',
    { ...named('old'), jsonPatch: [{ op: 'remove', path: '/data/trees' }] },
    [
      [
        `PATCH ${PATH}/old?${MANAGER}`,
        'application/json-patch+json',
        [{ op: 'remove', path: '/data/trees' }],
      ],
    ],
  ],
  [
    'Apply',
    { object: configMap('new', { trees: '4' }), force: true },
    [
      [
        `PATCH ${PATH}/new?${MANAGER}&force=true`,
        'application/apply-patch+yaml',
        configMap('new', { trees: '4' }),
      ],
    ],
  ],
  [
    'Status',
    { ...named('shed'), kind: 'Deployment', status: { replicas: 2 } },
    [
      [
        `PATCH ${DEPLOYMENT}/status?${MANAGER}`,
        'application/merge-patch+json',
        { status: { replicas: 2 } },
      ],
    ],
  ],
])('[hooks 9] %s sends the expected requests', async (operation, body, requests) => {
  const place = await startFarm(configMap('old', { trees: '1' }));
  place.server.create(shed());
  const run = preparedRun({
    client: collected(place),
    leaves: [{ patches: [{ operation, ...body }] }],
  });

  const failure = await run.attempt();

  expect(failure).toBeUndefined();
  expect(place.sent.map(shown)).toEqual(requests);
});

function deletion(propagationPolicy: string): unknown[][] {
  const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy };
  return [[`DELETE ${PATH}/old`, 'application/json', options]];
}

test('[hooks 9] CreateOrUpdate of an existing object sends the resourceVersion that was read', async () => {
  const place = await startFarm(configMap('old', { trees: '1', others: 'own' }));
  const object = configMap('old', { trees: '2' });
  const patches = [{ operation: 'CreateOrUpdate', object }];
  const run = preparedRun({ client: place.client, leaves: [{ patches }] });
  const { resourceVersion } = place.server.get('v1', 'ConfigMap', 'farm', 'old')?.metadata ?? {};

  await run.attempt();

  expect(dataOf(place, 'old')).toEqual({ trees: '2' }); // what others have set is lost
  expect(place.sent.map(shown)).toEqual([
    [`POST ${PATH}?${MANAGER}`, 'application/json', object],
    [`GET ${PATH}/old`],
    [
      `PUT ${PATH}/old?${MANAGER}`,
      'application/json',
      { ...object, metadata: { ...object.metadata, resourceVersion } },
    ],
  ]);
});

test('[hooks 9] JQPatch writes the result of its program, and writes nothing if the object does not change', async () => {
  const place = await startFarm(configMap('old', { trees: '1' }));
  const patches = [{ operation: 'JQPatch', ...named('old'), jqFilter: '.data.trees = "2"' }];
  const run = preparedRun({
    client: place.client,
    leaves: [{ patches }],
    jq: (object) => [{ ...(object as object), data: { trees: '2' } }],
  });

  await run.attempt();
  await run.attempt();

  expect(dataOf(place, 'old')).toEqual({ trees: '2' });
  expect(place.sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET ${PATH}/old`,
    `PUT ${PATH}/old?${MANAGER}`,
    `GET ${PATH}/old`,
  ]);
});

test('[hooks 10] CreateOrUpdate and JQPatch read an object again if it was changed meanwhile', async () => {
  const place = await startFarm(
    configMap('old', { trees: '1' }),
    configMap('raced', { trees: '1' }),
  );
  let others = 0;
  const raced = intercept(place.client, (next) => async (call) => {
    if (call.verb === 'update' && others < 4) {
      others += 1;
      const change = { data: { trees: `other ${others}` } };
      place.server.patch('v1', 'ConfigMap', 'farm', call.object.metadata.name, change);
    }
    return next(call);
  });
  const patches = [
    { operation: 'CreateOrUpdate', object: configMap('old', { trees: '2' }) },
    { operation: 'JQPatch', ...named('raced'), jqFilter: '.data.pears = "7"' },
  ];
  const jq = (object: unknown): readonly unknown[] => {
    const { data, ...rest } = object as ReturnType<typeof configMap>;
    return [{ ...rest, data: { ...data, pears: '7' } }];
  };
  const run = preparedRun({ client: raced, clock: systemClock, leaves: [{ patches }], jq });

  const failure = await run.attempt();

  expect(failure).toBeUndefined();
  expect(others).toBe(4);
  expect(dataOf(place, 'old')).toEqual({ trees: '2' });
  expect(run.starts()).toBe(1);
});

test('[hooks 11] Delete waits for an object with a finalizer, and fails after 20 s; DeleteInBackground does not wait', async () => {
  const held = configMap('held');
  const place = await startFarm({
    ...held,
    metadata: { ...held.metadata, ...{ finalizers: ['example.com/barn'] } },
  });
  const clock = new FakeClock();
  const patches = [
    { operation: 'DeleteInBackground', ...named('held') },
    { operation: 'Delete', ...named('held') },
  ];
  const run = preparedRun({ client: place.client, clock, leaves: [{ patches }] });
  let isOver = false;
  const attempt = run.attempt().finally(() => {
    isOver = true;
  });

  while (!isOver) {
    await settleSockets();
    if (clock.pending > 0) clock.advance(1_000);
  }
  const failure = await attempt;

  expect(failure?.message).toBe(
    'document 2 of 2 (Delete of ConfigMap farm/held): the object is still there after 20 s; its finalizers are example.com/barn, foregroundDeletion',
  );
  expect(clock.monotonic()).toBe(20_000);
  expect(place.sent.filter(({ method }) => method === 'GET')).toHaveLength(21);
});

test('[hooks 12] with ignoreMissingObject, a patch of a missing object succeeds', async () => {
  const place = await startFarm(configMap('old'));
  const missing = { ...named('none'), ignoreMissingObject: true };
  const patches = [
    { operation: 'MergePatch', ...missing, mergePatch: { data: {} } },
    { operation: 'JSONPatch', ...missing, jsonPatch: [{ op: 'remove', path: '/data' }] },
    { operation: 'JQPatch', ...missing, jqFilter: '.' },
    { operation: 'Status', ...missing, kind: 'Deployment', status: {} },
    { operation: 'Delete', ...named('none') },
    { operation: 'MergePatch', ...named('old'), mergePatch: { data: { last: 'yes' } } },
  ];
  const run = preparedRun({ client: place.client, leaves: [{ patches }] });

  const failure = await run.attempt();

  expect(failure).toBeUndefined();
  expect(dataOf(place, 'old')).toEqual({ last: 'yes' });
});

test('[hooks 12] a patch of the status is sent to the subresource, whether the hook writes status or /status', async () => {
  const place = await startFarm();
  place.server.create(shed());
  const target = { ...named('shed'), kind: 'Deployment', operation: 'MergePatch' };
  const patches = [
    { ...target, subresource: 'status', mergePatch: { status: { replicas: 1 } } },
    { ...target, subresource: '/status', mergePatch: { status: { readyReplicas: 1 } } },
  ];
  const run = preparedRun({ client: place.client, leaves: [{ patches }] });

  const failure = await run.attempt();

  expect(failure).toBeUndefined();
  expect(place.server.get('apps/v1', 'Deployment', 'farm', 'shed')).toMatchObject({
    status: { replicas: 1, readyReplicas: 1 },
  });
});

test('an Apply that would take a field from another manager fails, and the error contains the manager', async () => {
  const place = await startFarm();
  await place.client.apply(
    { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
    configMap('shared', { trees: '1' }),
  );
  const apply = { operation: 'Apply', object: configMap('shared', { trees: '2' }) };
  const run = preparedRun({ client: place.client, leaves: [{ patches: [apply] }] });

  const failure = await run.attempt();
  await run.attempt();

  expect(failure?.cause).toBeInstanceOf(ApiError);
  expect(failure?.message).toContain('conflict with "chancery-hooks"');
  expect(run.starts()).toBe(2); // only another start can write something else
  expect(dataOf(place, 'shared')).toEqual({ trees: '1' });
});
