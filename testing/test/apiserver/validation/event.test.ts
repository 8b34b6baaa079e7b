import { describe, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { changedBy, type Row } from '../support/validated.ts';

const NEW = '/apis/events.k8s.io/v1/namespaces/default/events';
const CORE = '/api/v1/namespaces/default/events';

const EVENT = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: 'e' },
  eventTime: '2026-11-21T06:28:21.235000Z',
  reportingController: 'k8spatterns.io/watcher',
  reportingInstance: 'pod-1',
  action: 'Restart',
  reason: 'PodsRestarted',
  type: 'Normal',
  note: 'restarted 2 pods',
  regarding: { kind: 'ConfigMap', name: 'm', namespace: 'default' },
};

async function refusal({ send }: TestCluster, path: string, body: object): Promise<string[]> {
  const answer = await send('POST', path, body);
  if (answer.status === 201) return [];
  return answer.body.details.causes.map(
    ({ field, message }: Record<string, string>) => `${field}: ${message}`,
  );
}

const NEW_EVENTS: readonly Row[] = [
  ['nothing wrong', {}, []],
  ['no action', { action: undefined }, ['action: Required value']],
  ['no reason', { reason: undefined }, ['reason: Required value']],
  [
    'no reportingController',
    { reportingController: undefined },
    [
      'reportingController: Required value',
      'reportingController: Invalid value: "": name part must be non-empty',
      expect.stringContaining('reportingController: Invalid value: "": name part must consist of'),
    ],
  ],
  ['no instance', { reportingInstance: undefined }, ['reportingInstance: Required value']],
  ['no time', { eventTime: undefined }, ['eventTime: Required value']],
  ['an unknown type', { type: 'Bad' }, ['type: Invalid value: "": has invalid value: Bad']],
  [
    'a reason of 129 bytes',
    { reason: 'r'.repeat(129) },
    ['reason: Invalid value: "": can have at most 128 characters'],
  ],
  ['a note of 1024 bytes in 256 characters', { note: '😀'.repeat(256) }, []],
  [
    'a note of 1028 bytes in 257 characters',
    { note: '😀'.repeat(257) },
    ['message: Invalid value: "": can have at most 1024 characters'],
  ],
  [
    'a series with a count of 1',
    { series: { count: 1, lastObservedTime: EVENT.eventTime } },
    ['series.count: Invalid value: "": should be at least 2'],
  ],
  [
    'a series without a time',
    { series: { count: 2 } },
    ['series.lastObservedTime: Required value'],
  ],
  [
    'fields that only core Events may have',
    { deprecatedCount: 1, deprecatedSource: { component: 'x' } },
    ['count: Invalid value: "": needs to be unset', 'source: Invalid value: "": needs to be unset'],
  ],
  ['a cluster-scoped object in regarding', { regarding: { kind: 'Node', name: 'n' } }, []],
];

describe('[F-15] a new Event of events.k8s.io', () => {
  test.each(
    NEW_EVENTS,
  )('a new events.k8s.io Event gets the validation errors of Kubernetes: %s', async (_, changes, expected) => {
    const cluster = await startCluster();

    const problems = await refusal(cluster, NEW, changedBy(EVENT, changes));

    expect(problems).toEqual(expected);
  });

  test('the error for an events.k8s.io Event refers to the core Event that would be stored', async () => {
    const { send } = await startCluster();

    const { body } = await send('POST', NEW, changedBy(EVENT, { action: '' }));

    expect(body).toMatchObject({
      message: 'Event "e" is invalid: action: Required value',
      details: { name: 'e', kind: 'Event' },
    });
    expect(body.details).not.toHaveProperty('group');
  });
});

const CORE_EVENT = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  involvedObject: { kind: 'ConfigMap', name: 'm', namespace: 'default' },
};

const CORE_EVENTS: readonly Row[] = [
  ['a minimal Event is accepted', {}, []],
  ['an unknown type is accepted', { type: 'Strange', count: 1 }, []],
  [
    'an involved object of another namespace is refused',
    { 'involvedObject.namespace': 'other' },
    ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
  ],
  [
    'a cluster-scoped object is accepted in namespace default',
    { 'involvedObject.namespace': undefined },
    [],
  ],
  [
    'an Event with an eventTime needs all fields of the new API',
    { eventTime: EVENT.eventTime },
    [
      'reportingComponent: Required value',
      'reportingComponent: Invalid value: "": name part must be non-empty',
      expect.stringContaining('reportingComponent: Invalid value: "": name part must consist of'),
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ],
  ],
];

describe('[F-15] a core Event', () => {
  test.each(
    CORE_EVENTS,
  )('a core Event is validated as in Kubernetes: %s', async (_, changes, expected) => {
    const cluster = await startCluster();

    const problems = await refusal(cluster, CORE, changedBy(CORE_EVENT, changes));

    expect(problems).toEqual(expected);
  });

  test('a core Event outside of namespace default must be about an object of its namespace', async () => {
    const cluster = await startCluster();
    const event = changedBy(CORE_EVENT, { 'involvedObject.namespace': undefined });

    const problems = await refusal(cluster, '/api/v1/namespaces/kube-system/events', event);

    expect(problems).toEqual([
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
    ]);
  });
});

const CHANGES: readonly Row[] = [
  ['its series', { series: { count: 2, lastObservedTime: EVENT.eventTime } }, []],
  ['its note', { note: 'other' }, ['message: Invalid value: "other": field is immutable']],
  ['its reason', { reason: 'Other' }, ['reason: Invalid value: "Other": field is immutable']],
  ['its type', { type: 'Warning' }, ['type: Invalid value: "Warning": field is immutable']],
  [
    'its reportingInstance',
    { reportingInstance: 'b' },
    ['reportingInstance: Invalid value: "b": field is immutable'],
  ],
  [
    'its regarding object',
    { regarding: { kind: 'Pod' } },
    [
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"default","Name":"m","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    ],
  ],
];

describe('[F-15] an update of an Event changes only its series', () => {
  test.each(
    CHANGES,
  )('an update of an events.k8s.io Event is validated as in Kubernetes: it changes %s', async (_, patch, expected) => {
    const { send } = await startCluster();
    await send('POST', NEW, EVENT);

    const { status, body } = await send('PATCH', `${NEW}/e`, patch);

    expect(status).toBe(expected.length === 0 ? 200 : 422);
    expect(
      (body.details?.causes ?? []).map(
        (cause: Record<string, string>) => `${cause.field}: ${cause.message}`,
      ),
    ).toEqual(expected);
  });

  test('an update through the core API may change every field of an Event', async () => {
    const { send } = await startCluster();
    await send('POST', NEW, EVENT);

    const { status, body } = await send('PATCH', `${CORE}/e`, { message: 'other' });

    expect([status, body.message]).toEqual([200, 'other']);
  });
});

test('[F-15] the core API and events.k8s.io serve the same Event, each in its own format', async () => {
  const { send } = await startCluster();
  await send('POST', NEW, EVENT);

  const { body: core } = await send('GET', `${CORE}/e`);
  const { body: listed } = await send('GET', `${NEW}?fieldSelector=reason=PodsRestarted`);

  expect(core).toMatchObject({
    apiVersion: 'v1',
    message: EVENT.note,
    reportingComponent: EVENT.reportingController,
    involvedObject: EVENT.regarding,
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
  });
  expect(listed.items).toHaveLength(1);
});

test.each([
  '2026-11-21T06:28:21Z',
  '2026-11-21T06:28:21.235Z',
  '2026-11-21T06:28:21.235000000Z',
])('[F-15] a MicroTime must have six decimal places: %s is refused', async (time) => {
  const { send } = await startCluster();
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { renewTime: time },
  };

  const answer = await send(
    'POST',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    lease,
  );

  expect(answer.status).toBe(400);
  expect(answer.body.message).toContain(
    `Lease in version "v1" cannot be handled as a Lease: parsing time "${time}" as "2006-01-02T15:04:05.000000Z07:00": cannot parse`,
  );
});

describe('an Event about a cluster-scoped object', () => {
  test.each([
    ['default', 201],
    ['kube-system', 201],
    ['shop', 422],
  ])('an Event about a cluster-scoped object in namespace %s is answered %d', async (namespace, expected) => {
    const { server, send } = await startCluster();
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    const event = { ...EVENT, regarding: { kind: 'Node', name: 'n' } };

    const { status } = await send(
      'POST',
      `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
      event,
    );

    expect(status).toBe(expected);
  });
});

describe('field selectors of Events', () => {
  const REGARDING =
    'regarding.kind=ConfigMap,regarding.name=m,reportingController=k8spatterns.io/watcher';

  test.each([
    [NEW, REGARDING, 1],
    [NEW, 'regarding.name=other', 0],
    [CORE, 'involvedObject.kind=ConfigMap,reportingComponent=k8spatterns.io/watcher', 1],
  ])('the Events at %s can be selected by %s', async (path, selector, found) => {
    const { send } = await startCluster();
    await send('POST', NEW, EVENT);

    const { body } = await send('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);

    expect(body.items).toHaveLength(found);
  });

  const REFERENCE = {
    kind: 'Pod',
    namespace: 'default',
    name: 'front-1',
    uid: 'u-7',
    apiVersion: 'v1',
    resourceVersion: '512',
    fieldPath: 'spec.containers{app}',
  };
  const ofReference = (field: string): string[] =>
    Object.entries(REFERENCE).map(([name, value]) => `${field}.${name}=${value}`);
  const OF_BOTH = ['reason=Unpacked', 'type=Warning', 'metadata.name=f'];

  test.each([
    [NEW, [...ofReference('regarding'), 'reportingController=a.example/loader']],
    [
      CORE,
      [
        ...ofReference('involvedObject'),
        'reportingComponent=a.example/loader',
        'source=a.example/loader',
      ],
    ],
  ])('%s can select one of two Events by each field of the Event', async (path, fields) => {
    const { send } = await startCluster();
    await send('POST', NEW, {
      ...EVENT,
      metadata: { name: 'f' },
      reason: 'Unpacked',
      type: 'Warning',
      reportingController: 'a.example/loader',
      regarding: REFERENCE,
    });
    await send('POST', NEW, { ...EVENT, regarding: { kind: 'Node', name: 'n' } });
    const found = async (selector: string): Promise<string[]> => {
      const { body } = await send('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);
      return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    };

    for (const field of [...fields, ...OF_BOTH]) {
      const others = await found(field.replace('=', '!='));

      expect([field, await found(field), others]).toEqual([field, ['f'], ['e']]);
    }
  });

  test('the field selector `source` selects core Events by `source.component`, if they have this field', async () => {
    const { send } = await startCluster();
    await send('POST', CORE, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'f' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'front-1' },
      source: { component: 'loader' },
      reportingComponent: 'a.example/loader',
      reportingInstance: 'loader-0',
    });

    const found = async (source: string): Promise<number> =>
      (await send('GET', `${CORE}?fieldSelector=source%3D${source}`)).body.items.length;

    expect([await found('loader'), await found('a.example/loader')]).toEqual([1, 0]);
  });

  test.each([
    [NEW, 'involvedObject.kind'],
    [NEW, 'reportingComponent'],
    [CORE, 'regarding.kind'],
  ])('%s refuses the field selector %s', async (path, field) => {
    const { send } = await startCluster();

    const { status, body } = await send('GET', `${path}?fieldSelector=${field}%3Dx`);

    expect([status, body.message]).toEqual([400, `field label not supported: ${field}`]);
  });
});
