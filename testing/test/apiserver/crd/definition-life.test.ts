import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { type Answer, startCluster, type TestCluster } from '../support/cluster.ts';
import { watch } from '../support/watched.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const FOO = `${DEFINITIONS}/foos.a.example`;
const FOOS = '/apis/a.example/v1/namespaces/default/foos';

// biome-ignore lint/suspicious/noExplicitAny: parts of a definition that tests replace
function definition(properties: object = { a: { type: 'integer' } }, spec: any = {}): any {
  const schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties, default: {} } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${spec.names?.plural ?? 'foos'}.a.example` },
    spec: {
      group: 'a.example',
      scope: 'Namespaced',
      names: { plural: 'foos', kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      ...spec,
    },
  };
}

function foo(name: string, spec: object = { a: 1 }, metadata: object = {}): object {
  return { apiVersion: 'a.example/v1', kind: 'Foo', metadata: { name, ...metadata }, spec };
}

interface Timed extends TestCluster {
  readonly clock: FakeClock;
}

/** A server that takes its time, on a clock that the test moves. */
async function startTimed(): Promise<Timed> {
  const clock = new FakeClock(Date.parse('2026-11-21T00:00:00Z'));
  return { clock, ...(await startCluster({ clock, definitionDelays: true })) };
}

function conditions({ body }: Answer): readonly string[] {
  return (body.status.conditions ?? []).map(
    ({ type, status, reason }: Record<string, string>) => `${type} ${status} ${reason}`,
  );
}

describe('[F-11] the life of a CustomResourceDefinition, with the delays of Kubernetes', () => {
  test('a new definition gets its names, is established, is served, and the first reads of its objects are refused', async () => {
    const { clock, send } = await startTimed();
    const created = await send('POST', DEFINITIONS, definition());
    const absent = await send('GET', FOOS);
    clock.advance(20);
    const installing = await send('GET', FOO);
    clock.advance(15);
    const established = await send('GET', FOO);

    const first = await send('GET', FOOS);
    clock.advance(50);
    const second = await send('GET', FOOS);

    expect([created.status, created.body.status.conditions]).toEqual([201, null]);
    expect([absent.status, absent.text]).toEqual([404, '404 page not found\n']);
    expect(conditions(installing)).toEqual([
      'NamesAccepted True NoConflicts',
      'Established False Installing',
    ]);
    expect(conditions(established)).toEqual([
      'NamesAccepted True NoConflicts',
      'Established True InitialNamesAccepted',
    ]);
    expect([first.status, first.headers.get('retry-after'), first.body.message]).toEqual([
      429,
      '1',
      'storage is (re)initializing',
    ]);
    expect(second.status).toBe(200);
  });

  test.each([
    ['?resourceVersion=0', 429],
    ['?labelSelector=a%3Db&limit=5', 429],
    ['?fieldSelector=metadata.name%3Dx&limit=5', 429],
    ['?limit=5&resourceVersion=1&resourceVersionMatch=NotOlderThan', 200],
    ['?watch=true', 429],
    ['?limit=5', 200],
    ['?limit=5&resourceVersion=0', 200],
    ['/x', 404],
    ['/x?resourceVersion=0', 404],
  ])('while the cache of a new resource is filled, the first read %s is answered %d', async (read, code) => {
    const { clock, send } = await startTimed();
    await send('POST', DEFINITIONS, definition());
    clock.advance(35);

    const { status } = await send('GET', `${FOOS}${read}`);

    expect(status).toBe(code);
  });

  test('while a cache is refilled after a schema change, lists with resourceVersionMatch=Exact and later pages come from etcd', async () => {
    const { clock, send } = await startTimed();
    await send('POST', DEFINITIONS, definition());
    clock.advance(5_000);
    for (const name of ['x', 'y']) await send('POST', FOOS, foo(name));
    clock.advance(50);
    const { metadata } = (await send('GET', `${FOOS}?limit=1`)).body;
    const { body: live } = await send('GET', FOO);
    live.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.b = { type: 'string' };
    await send('PUT', FOO, live);

    const [exact, page, whole] = [
      await send(
        'GET',
        `${FOOS}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`,
      ),
      await send('GET', `${FOOS}?continue=${metadata.continue}`),
      await send('GET', FOOS),
    ];

    expect([exact.status, page.status, whole.status]).toEqual([200, 200, 429]);
  });

  test('if a definition was established just before, a create is answered only after two seconds', async () => {
    const { clock, send } = await startTimed();
    await send('POST', DEFINITIONS, definition());
    clock.advance(35);
    const waiting = clock.pending;

    const created = send('POST', FOOS, foo('x'));
    while (clock.pending === waiting) await turn();
    clock.advance(1_999);
    const early = await send('GET', `${FOOS}/x`);
    clock.advance(1);

    expect([early.status, (await created).status]).toEqual([404, 201]);
  });

  test('the server checks every five seconds whether all objects of a deleted definition are gone', async () => {
    const { clock, send } = await startTimed();
    await send('POST', DEFINITIONS, definition());
    clock.advance(5_000);
    await send('POST', FOOS, foo('x', { a: 1 }, { finalizers: ['a.example/hold'] }));
    const deleted = await send('DELETE', FOO);
    clock.advance(5);
    const deleting = await send('GET', FOO);
    await send('PATCH', `${FOOS}/x`, { metadata: { finalizers: null } });
    const waiting = await send('GET', FOO);
    clock.advance(5_000);

    const gone = await send('GET', FOO);

    expect(conditions(deleted).at(-1)).toBe('Terminating True InstanceDeletionPending');
    expect(conditions(deleting).at(-1)).toBe('Terminating True InstanceDeletionInProgress');
    expect([waiting.status, gone.status]).toEqual([200, 404]);
  });
});

test('[F-11] without delays, a new definition is served as soon as it exists', async () => {
  const { send } = await startCluster();
  await send('POST', DEFINITIONS, definition());

  const list = await send('GET', FOOS);
  const created = await send('POST', FOOS, foo('x'));

  expect([list.status, created.status]).toEqual([200, 201]);
});

test('[F-11] V13 a schema change ends watches after a second, and older resourceVersions expire', async () => {
  const timed = await startTimed();
  const { clock, send } = timed;
  await send('POST', DEFINITIONS, definition());
  clock.advance(5_000);
  await send('GET', FOOS);
  clock.advance(50);
  await send('POST', FOOS, foo('x'));
  const { resourceVersion } = (await send('GET', FOOS)).body.metadata;
  const open = await watch(timed, `${FOOS}?watch=true&resourceVersion=${resourceVersion}`);
  await send('POST', FOOS, foo('y'));
  await open.next();

  const { body: live } = await send('GET', FOO);
  live.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.b = { type: 'string' };
  await send('PUT', FOO, live);
  clock.advance(1_000);
  const ended = await open.next();
  const refused = await send('GET', `${FOOS}?watch=true&resourceVersion=${resourceVersion}`);
  clock.advance(50);
  const late = await watch(timed, `${FOOS}?watch=true&resourceVersion=${resourceVersion}`);

  expect(ended).toBeUndefined();
  expect(refused.status).toBe(429);
  expect(await late.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
});

describe('[F-11] conflicting names of definitions', () => {
  const bars = { names: { plural: 'bars', kind: 'Foo', shortNames: ['f'] } };

  test('conflicting names are accepted once the definition that has these names is gone', async () => {
    const { send } = await startCluster();
    await send('POST', DEFINITIONS, definition());
    await send('POST', DEFINITIONS, definition({}, bars));
    const refused = await send('GET', `${DEFINITIONS}/bars.a.example`);
    const unserved = await send('GET', '/apis/a.example/v1/bars');
    await send('DELETE', FOO);

    const accepted = await send('GET', `${DEFINITIONS}/bars.a.example`);

    expect(conditions(refused)).toEqual([
      'NamesAccepted False ListKindConflict',
      'Established False NotAccepted',
    ]);
    expect(refused.body.status.conditions[0].message).toBe('"FooList" is already in use');
    expect(refused.body.status.acceptedNames).toEqual({
      plural: 'bars',
      shortNames: ['f'],
      kind: '',
    });
    expect(unserved.status).toBe(404);
    expect(conditions(accepted)).toContain('Established True InitialNamesAccepted');
  });

  test('a served definition whose new name is already taken keeps its old names', async () => {
    const { send } = await startCluster();
    await send(
      'POST',
      DEFINITIONS,
      definition({}, { names: { plural: 'foos', kind: 'Foo', shortNames: ['f'] } }),
    );
    await send('POST', DEFINITIONS, definition({}, { names: { plural: 'bars', kind: 'Bar' } }));

    await send('PATCH', `${DEFINITIONS}/bars.a.example`, {
      spec: { names: { shortNames: ['f'] } },
    });
    const bars = await send('GET', `${DEFINITIONS}/bars.a.example`);
    const served = await send('GET', '/apis/a.example/v1/bars');

    expect(conditions(bars)).toEqual([
      'NamesAccepted False ShortNamesConflict',
      'Established True InitialNamesAccepted',
    ]);
    expect(bars.body.status.acceptedNames.shortNames).toBeUndefined();
    expect(served.status).toBe(200);
  });
});

test('[F-11] a read applies the current defaults and drops fields that the schema no longer has', async () => {
  const { send } = await startCluster();
  await send('POST', DEFINITIONS, definition({ a: { type: 'integer' }, old: { type: 'string' } }));
  await send('POST', FOOS, foo('x', { a: 1, old: 'gone' }));
  const { body: stored } = await send('GET', `${FOOS}/x`);

  const { body: live } = await send('GET', FOO);
  live.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties = {
    a: { type: 'integer' },
    b: { type: 'string', default: 'new' },
  };
  await send('PUT', FOO, live);
  const one = await send('GET', `${FOOS}/x`);
  const list = await send('GET', FOOS);
  const labelled = await send('PATCH', `${FOOS}/x`, { metadata: { labels: { l: 'v' } } });

  expect(one.body.spec).toEqual({ a: 1, b: 'new' });
  expect(one.body.metadata.resourceVersion).toBe(stored.metadata.resourceVersion);
  expect(list.body.items[0].spec).toEqual({ a: 1, b: 'new' });
  expect([labelled.body.metadata.generation, labelled.body.spec]).toEqual([1, { a: 1, b: 'new' }]);
});

test('[F-11] a terminating definition refuses creates of its objects', async () => {
  const { send } = await startCluster();
  await send('POST', DEFINITIONS, definition());
  await send('POST', FOOS, foo('x', { a: 1 }, { finalizers: ['a.example/hold'] }));
  await send('DELETE', FOO);

  const { status, body } = await send('POST', FOOS, foo('y'));

  expect([status, body.reason, body.message]).toEqual([
    403,
    'Forbidden',
    'foos.a.example "y" is forbidden: create not allowed while custom resource definition is terminating',
  ]);
});

test('[F-11] a deleted resource can be defined again, and its older resourceVersions expire', async () => {
  const cluster = await startCluster();
  const { send } = cluster;
  await send('POST', DEFINITIONS, definition());
  await send('POST', FOOS, foo('x'));
  const { resourceVersion } = (await send('GET', FOOS)).body.metadata;
  await send('DELETE', FOO);
  const absent = await send('GET', FOOS);
  await send('POST', DEFINITIONS, definition());

  const again = await send('GET', FOOS);
  const old = await watch(cluster, `${FOOS}?watch=true&resourceVersion=${resourceVersion}`);

  expect([absent.status, absent.text]).toEqual([404, '404 page not found\n']);
  expect([again.status, again.body.items]).toEqual([200, []]);
  expect(await old.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
});

describe('[F-11] versions of a definition', () => {
  const versions = (conversion: object = {}): object =>
    definition(
      {},
      {
        ...conversion,
        versions: ['v1', 'v2', 'v3'].map((name) => ({
          name,
          served: name !== 'v3',
          storage: name === 'v2',
          ...(name === 'v1' ? { deprecated: true } : {}),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { a: { type: 'integer' }, [name]: { type: 'integer', default: 1 } },
                },
              },
            },
          },
        })),
      },
    );

  test('each served version of a custom resource has separate fields and defaults, and a deprecated version causes a warning', async () => {
    const { send } = await startCluster();
    await send('POST', DEFINITIONS, versions());
    await send('POST', FOOS, foo('x'));

    const v1 = await send('GET', `${FOOS}/x`);
    const v2 = await send('GET', '/apis/a.example/v2/namespaces/default/foos/x');
    const v3 = await send('GET', '/apis/a.example/v3/namespaces/default/foos/x');
    const { body } = await send('GET', FOO);

    expect([v1.body.apiVersion, v1.body.spec]).toEqual(['a.example/v1', { a: 1, v1: 1 }]);
    expect([v2.body.apiVersion, v2.body.spec]).toEqual(['a.example/v2', { a: 1, v2: 1 }]);
    expect(v3.status).toBe(404);
    expect(v1.headers.get('warning')).toBe('299 - "a.example/v1 Foo is deprecated"');
    expect(v2.headers.get('warning')).toBeNull();
    expect(body.status.storedVersions).toEqual(['v2']);
  });
});

describe('[F-11] writes of custom resources', () => {
  const rules = [{ rule: 'self.a >= oldSelf.a', message: 'a must not shrink' }];
  const ruled = (): object => {
    const whole = definition({ a: { type: 'integer' }, t: { type: 'string', maxLength: 2 } });
    whole.spec.versions[0].schema.openAPIV3Schema.properties.spec['x-kubernetes-validations'] =
      rules;
    return whole;
  };

  test('transition rules are checked on updates, and a dry run stores nothing', async () => {
    const { send } = await startCluster();
    await send('POST', DEFINITIONS, ruled());
    await send('POST', FOOS, foo('x', { a: 2 }));

    const shrunk = await send('PATCH', `${FOOS}/x?dryRun=All`, { spec: { a: 1 } });
    const grown = await send('PATCH', `${FOOS}/x?dryRun=All`, { spec: { a: 3 } });
    const { body } = await send('GET', `${FOOS}/x`);

    expect([shrunk.status, shrunk.body.message]).toEqual([
      422,
      'Foo.a.example "x" is invalid: spec: Invalid value: a must not shrink',
    ]);
    expect([grown.status, body.spec.a]).toEqual([200, 2]);
  });

  test('a custom resource with a wrong kind is refused with 422, and a custom resource with a wrong version with 400', async () => {
    const { send } = await startCluster();
    await send('POST', DEFINITIONS, definition());
    const { body: x } = await send('POST', FOOS, foo('x'));

    const created = await send('POST', FOOS, { ...foo('y'), kind: 'Bar' });
    const updated = await send('PUT', `${FOOS}/x`, { ...x, kind: 'Pod' });
    const ofVersion = await send('POST', FOOS, { ...foo('y'), apiVersion: 'a.example/v7' });

    const messages = [created, updated, ofVersion].map(({ status, body }) => [
      status,
      body.message,
    ]);
    expect(messages).toEqual([
      [422, 'Bar.a.example "y" is invalid: kind: Invalid value: "Bar": must be Foo'],
      [422, 'Pod.a.example "x" is invalid: kind: Invalid value: "Pod": must be Foo'],
      [
        400,
        'the API version in the data (a.example/v7) does not match the expected API version (a.example/v1)',
      ],
    ]);
    expect((await send('GET', FOOS)).body.items).toHaveLength(1);
  });

  test('an invalid value that already exists may stay when the schema gets stricter', async () => {
    const { send } = await startCluster();
    await send('POST', DEFINITIONS, definition({ a: { type: 'integer' }, t: { type: 'string' } }));
    await send('POST', FOOS, foo('x', { a: 1, t: 'long' }));
    const { body: live } = await send('GET', FOO);
    live.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.t.maxLength = 2;
    await send('PUT', FOO, live);

    const kept = await send('PATCH', `${FOOS}/x`, { spec: { a: 2 } });
    const changed = await send('PATCH', `${FOOS}/x`, { spec: { t: 'longer' } });

    expect([kept.status, changed.status]).toEqual([200, 422]);
  });

  test('an update of a custom resource needs a resourceVersion', async () => {
    const { send } = await startCluster();
    await send('POST', DEFINITIONS, definition());
    await send('POST', FOOS, foo('x'));

    const { status, body } = await send('PUT', `${FOOS}/x`, foo('x'));

    expect(status).toBe(422);
    expect(body.details.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: 0: must be specified for an update',
        field: 'metadata.resourceVersion',
      },
    ]);
  });

  test('unknown metadata fields of a custom resource are dropped with a warning, or refused when Strict', async () => {
    const { send } = await startCluster();
    await send('POST', DEFINITIONS, definition());

    const warned = await send('POST', FOOS, foo('x', { a: 1 }, { odd: 1 }));
    const strict = await send(
      'POST',
      `${FOOS}?fieldValidation=Strict`,
      foo('y', { a: 1 }, { odd: 1 }),
    );

    expect(warned.headers.get('warning')).toBe('299 - "unknown field \\"metadata.odd\\""');
    expect(warned.body.metadata.odd).toBeUndefined();
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'Foo in version "v1" cannot be handled as a Foo: strict decoding error: unknown field "metadata.odd"',
    ]);
  });
});

test.each([
  ['an invalid schema', {}],
  ['a rule that does not compile', { 'x-kubernetes-validations': [{ rule: 'self > other' }] }],
  ['a rule that returns no bool', { 'x-kubernetes-validations': [{ rule: 'self + 1' }] }],
])('a definition with %s is refused and not created', async (_, more) => {
  const { send } = await startCluster();
  const type = 'x-kubernetes-validations' in more ? { type: 'integer' } : {};

  const { status } = await send('POST', DEFINITIONS, definition({ a: { ...type, ...more } }));
  const absent = await send('GET', FOO);

  expect([status, absent.status]).toEqual([422, 404]);
});
