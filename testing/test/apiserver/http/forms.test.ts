/** One object, a list and the events of a watch in every form that a client may ask for. */
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';
import { watch } from '../support/watched.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

function get({ send }: TestCluster, path: string, accept: string) {
  return send('GET', path, undefined, { accept });
}

test.each([
  ['Metadata', { kind: 'PartialObjectMetadata' }],
  ['', { kind: 'PartialObjectMetadata' }],
  ['Object', { kind: 'ConfigMap', data: { k: 'v' } }],
  ['None', null],
])('[F-13] the rows of a Table contain what includeObject=%s requests', async (include, carried) => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a'));

  const { body } = await get(cluster, `${CONFIG_MAPS}/a?includeObject=${include}`, TABLE);

  const { object } = body.rows[0];
  if (carried === null) expect(object).toBeNull();
  else expect(object).toMatchObject(carried);
});

test('[F-13] a Table with an unknown includeObject is refused', async () => {
  const cluster = await startCluster();

  const refused = await get(cluster, `${CONFIG_MAPS}?includeObject=All`, TABLE);
  const ignored = await get(cluster, `${CONFIG_MAPS}?includeObject=All`, 'application/json');

  expect(refused.status).toBe(400);
  expect(refused.body.message).toBe(
    `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
  );
  expect(ignored.status).toBe(200);
});

test('[F-13] a Table has the same page of items and the same continue token as its list', async () => {
  const cluster = await startCluster();
  for (const name of ['a', 'b', 'c']) cluster.server.create(configMap(name));

  const { body } = await get(cluster, `${CONFIG_MAPS}?limit=1`, TABLE);

  expect(body.metadata.remainingItemCount).toBeGreaterThanOrEqual(2);
  expect(body.metadata.continue).toMatch(/^ey/);
  expect(body.rows.map((row: { cells: unknown[] }) => row.cells[0])).toEqual(['a']);
});

/** The objects of the first events of a watch. */
async function firstObjects({ server }: TestCluster, query: string, accept: string, count: number) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const headers = { accept };
  const url = `${server.url}${CONFIG_MAPS}?watch=true&${query}`;
  const response = await fetch(url, { headers, signal: abort.signal });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.split('\n').length > count) break;
  }
  return text
    .split('\n')
    .slice(0, count)
    .map((line) => JSON.parse(line).object);
}

test('[F-13] only the first event of a Table watch has column definitions', async () => {
  const cluster = await startCluster({ clock: new FakeClock() });
  cluster.server.create(configMap('a', { labels: { here: 'a' } }));
  cluster.server.create(configMap('b', { labels: { here: 'b' } }, { k: 'v', l: 'w' }));

  const [first, second] = await firstObjects(cluster, 'labelSelector=here', TABLE, 2);

  expect(first.columnDefinitions.map((column: { name: string }) => column.name)).toEqual([
    'Name',
    'Data',
    'Age',
  ]);
  expect(first.rows[0].cells).toEqual(['a', 1, '0s']);
  expect(second.columnDefinitions).toBeNull();
  expect(second.rows[0].cells).toEqual(['b', 2, '0s']);
});

test('[F-13] a Table watch ends with a bookmark without columns and rows', async () => {
  const clock = new FakeClock();
  const cluster = await startCluster({ clock });
  const secrets = '/api/v1/namespaces/default/secrets';
  const create = async (name: string): Promise<string> => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name } };
    return (await cluster.send('POST', secrets, secret)).body.metadata.resourceVersion;
  };
  const query = `watch=1&allowWatchBookmarks=1&timeoutSeconds=7&resourceVersion=${await create('a')}`;
  const watched = await watch(cluster, `${secrets}?${query}`, { accept: TABLE });
  const resourceVersion = await create('b');
  const added = await watched.next();

  clock.advance(7_000);
  const rest = await watched.rest();

  expect([added?.type, added?.object.rows.length]).toEqual(['ADDED', 1]);
  expect(rest).toEqual([
    {
      type: 'BOOKMARK',
      object: {
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion },
        columnDefinitions: null,
        rows: [],
      },
    },
  ]);
});

test('[F-13] PartialObjectMetadata is served only for an object, and PartialObjectMetadataList only for a list', async () => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a', { labels: { tier: 'front' } }));

  const object = await get(cluster, `${CONFIG_MAPS}/a`, PARTIAL);
  const list = await get(cluster, `${CONFIG_MAPS}?labelSelector=tier`, PARTIAL_LIST);
  const listAsObject = await get(cluster, CONFIG_MAPS, PARTIAL);
  const objectAsList = await get(cluster, `${CONFIG_MAPS}/a`, PARTIAL_LIST);

  expect(object.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'a' } });
  expect(object.body.data).toBeUndefined();
  expect(list.body).toMatchObject({
    kind: 'PartialObjectMetadataList',
    items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a', labels: { tier: 'front' } } }],
  });
  expect([listAsObject.status, listAsObject.body.message]).toEqual([
    406,
    'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
  ]);
  expect([objectAsList.status, objectAsList.body.message]).toEqual([
    406,
    'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
  ]);
});

test('[F-13] a watch requested as PartialObjectMetadataList sends whole objects', async () => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a', { labels: { here: 'a' } }));

  const [object] = await firstObjects(cluster, 'labelSelector=here', PARTIAL_LIST, 1);

  expect(object).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } });
});

test('[F-13] objects, Tables and errors are YAML for a client that accepts YAML', async () => {
  const cluster = await startCluster();
  cluster.server.create(configMap('a'));

  const object = await get(cluster, `${CONFIG_MAPS}/a`, 'application/yaml');
  const table = await get(
    cluster,
    `${CONFIG_MAPS}/a`,
    'application/yaml;as=Table;v=v1;g=meta.k8s.io',
  );
  const refusal = await get(cluster, `${CONFIG_MAPS}/b`, 'application/yaml');

  expect(object.headers.get('content-type')).toBe('application/yaml');
  expect(object.text).toMatch(/^apiVersion: v1\ndata:\n {2}k: v\nkind: ConfigMap\nmetadata:\n/);
  expect(table.text).toContain('\nkind: Table\n');
  expect(refusal.status).toBe(404);
  expect(refusal.text).toMatch(/^apiVersion: v1\ncode: 404\ndetails:\n {2}kind: configmaps\n/);
});

test.each([
  ['text/html, application/json;q=0.8', 'application/json'],
  ['application/json;q=0.1, application/yaml', 'application/yaml'],
  ['application/json;as=Table;v=v9;g=meta.k8s.io,application/json', 'application/json'],
  ['text/html, */*;q=0.2', 'application/json'],
])('[F-13] Accept: %s is answered with the best supported media type', async (accept, type) => {
  const cluster = await startCluster();

  const answer = await get(cluster, CONFIG_MAPS, accept);

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
  expect(answer.text).toContain('ConfigMapList');
});

test.each([
  ['Succeeded', 'The pod has completed successfully.'],
  ['Failed', 'The pod failed.'],
])('[F-13] the Table row of a Pod that has ended (%s) has the condition Completed', async (phase, message) => {
  const cluster = await startCluster();
  const pods = '/api/v1/namespaces/default/pods';
  await cluster.send('POST', pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
  });
  const before = await get(cluster, `${pods}/web`, TABLE);
  cluster.server.patch('v1', 'Pod', 'default', 'web', { status: { phase } }, 'status');

  const after = await get(cluster, `${pods}/web`, TABLE);

  expect(before.body.rows[0].conditions).toBeUndefined();
  expect(after.body.rows[0].conditions).toEqual([
    { type: 'Completed', status: 'True', reason: phase, message },
  ]);
});

test('[F-13] an Event has the same Table row in both APIs', async () => {
  const cluster = await startCluster();
  const events = 'namespaces/default/events';
  await cluster.send('POST', `/apis/events.k8s.io/v1/${events}`, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'web.1' },
    eventTime: '2026-11-21T06:28:21.123456Z',
    reportingController: 'example.dev/op',
    reportingInstance: 'op-0',
    action: 'Restarting',
    reason: 'Restarted',
    regarding: { kind: 'Pod', namespace: 'default', name: 'web' },
    note: 'a note',
    type: 'Normal',
  });

  const [core, other] = [
    await get(cluster, `/api/v1/${events}?fieldSelector=metadata.name%3Dweb.1`, TABLE),
    await get(cluster, `/apis/events.k8s.io/v1/${events}/web.1`, TABLE),
  ];

  const cells = other.body.rows[0].cells.filter((cell: unknown) => !/^\d+[smhd]/.test(`${cell}`));
  expect(cells).toEqual([
    'Normal',
    'Restarted',
    'pod/web',
    '',
    'example.dev/op, op-0',
    'a note',
    1,
    'web.1',
  ]);
  expect(core.body.columnDefinitions).toEqual(other.body.columnDefinitions);
  expect(core.body.rows[0].cells).toEqual(expect.arrayContaining(cells));
});
