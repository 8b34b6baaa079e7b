/** Snapshots that no server has written, by PUT /snapshot: each is refused with its place, and changes nothing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { CONFIG_MAPS, configMap } from '../apiserver/support/cluster.ts';
import { type AdministeredCluster, startAdministered } from './support.ts';

interface Line {
  resource: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test damages what it likes
  object: any;
}

/** A server with objects of several kinds, and with its snapshot as header and lines. */
async function startWithObjects(
  workloads: object | false = false,
): Promise<{ cluster: AdministeredCluster; header: object; lines: Line[] }> {
  const cluster = await startAdministered({ workloads: workloads as false });
  cluster.server.applyManifest(MANIFEST);
  await expect
    .poll(async () => (await cluster.send('GET', '/apis/rules.test/v1/gears')).status)
    .toBe(200);
  cluster.server.applyManifest('{apiVersion: rules.test/v1, kind: Gear, metadata: {name: g}}');
  const { text } = await cluster.ask('GET', '/snapshot');
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { cluster, header, lines };
}

const MANIFEST = `
apiVersion: v1
kind: Secret
metadata: { name: pin, labels: { a: b } }
stringData: { pin: "0000" }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: c, image: i }] }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gears.rules.test }
spec:
  group: rules.test
  scope: Namespaced
  names: { plural: gears, kind: Gear }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { teeth: { type: integer } } } }
`;

function textOf(header: object, lines: readonly Line[]): string {
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function lineOf(lines: readonly Line[], resource: string, name?: string): Line {
  const found = lines.find(
    (line) =>
      line.resource === resource &&
      (name ?? line.object.metadata.name) === line.object.metadata.name,
  );
  if (found === undefined) throw new Error(`no ${resource} ${name}`);
  return found;
}

/** Damages of one snapshot, and the answer: a code and what the message says. */
const DAMAGES: readonly [
  string,
  number,
  RegExp,
  (lines: Line[], header: Record<string, unknown>) => void,
][] = [
  [
    'an unknown resource',
    422,
    /^secretz default\/pin: is of a resource that is not known$/,
    (lines) => {
      lineOf(lines, 'secrets').resource = 'secretz';
    },
  ],
  [
    'custom objects without their definition',
    422,
    /^gears\.rules\.test default\/g: is of a resource that is not known$/,
    (lines, header) => {
      lines.splice(
        lines.indexOf(lineOf(lines, 'customresourcedefinitions.apiextensions.k8s.io')),
        1,
      );
      header.objects = lines.length;
    },
  ],
  [
    'a kind that is not that of its resource',
    422,
    /^services default\/web: has the kind "Secret" and not Service$/,
    (lines) => {
      lineOf(lines, 'services').object.kind = 'Secret';
    },
  ],
  [
    'a version that its resource does not have',
    422,
    /^deployments\.apps default\/web: has the apiVersion "apps\/v7"; known: apps\/v1$/,
    (lines) => {
      lineOf(lines, 'deployments.apps').object.apiVersion = 'apps/v7';
    },
  ],
  [
    'a string in place of a number',
    422,
    /^deployments\.apps default\/web: json: cannot unmarshal string into .*spec\.replicas of type int32$/,
    (lines) => {
      lineOf(lines, 'deployments.apps').object.spec.replicas = 'two';
    },
  ],
  [
    'an unknown field',
    422,
    /^secrets default\/pin: has the field dats, which is not known$/,
    (lines) => {
      lineOf(lines, 'secrets').object.dats = {};
    },
  ],
  [
    'a Deployment without a spec',
    422,
    /^deployments\.apps default\/web: spec\.selector: Required value$/,
    (lines) => {
      delete lineOf(lines, 'deployments.apps').object.spec;
    },
  ],
  [
    'a definition without versions',
    422,
    /^customresourcedefinitions\.apiextensions\.k8s\.io gears\.rules\.test: /,
    (lines) => {
      delete lineOf(lines, 'customresourcedefinitions.apiextensions.k8s.io').object.spec.versions;
    },
  ],
  [
    'a missing namespace',
    422,
    /^secrets pin: has no namespace$/,
    (lines) => {
      delete lineOf(lines, 'secrets').object.metadata.namespace;
    },
  ],
  [
    'a namespace on a cluster-scoped object',
    422,
    /^namespaces shop\/default: has a namespace, and its kind has none$/,
    (lines) => {
      lineOf(lines, 'namespaces', 'default').object.metadata.namespace = 'shop';
    },
  ],
  [
    'labels that are a list',
    422,
    /^line \d+ has wrong metadata: json: cannot unmarshal array into .*labels/,
    (lines) => {
      lineOf(lines, 'secrets').object.metadata.labels = ['a'];
    },
  ],
  [
    'a name that is null',
    422,
    /^line \d+ has an object without a name$/,
    (lines) => {
      lineOf(lines, 'namespaces', 'default').object.metadata.name = null;
    },
  ],
  [
    'an owner without a uid',
    422,
    /^line \d+ has an owner reference without apiVersion, kind, name or uid$/,
    (lines) => {
      const owner = { apiVersion: 'v1', kind: 'Secret', name: 'pin' };
      lineOf(lines, 'services').object.metadata.ownerReferences = [owner];
    },
  ],
  [
    'a definition with the name of another one',
    422,
    /^customresourcedefinitions\.apiextensions\.k8s\.io gears\.rules\.test: metadata\.name: /,
    (lines) => {
      lineOf(lines, 'customresourcedefinitions.apiextensions.k8s.io').object.spec.group = 'a.test';
    },
  ],
  [
    'a missing uid',
    422,
    /^line \d+ has an object without a uid$/,
    (lines) => {
      delete lineOf(lines, 'gears.rules.test').object.metadata.uid;
    },
  ],
  [
    'the uid of another object',
    422,
    /^line \d+ has the uid "[0-9a-f-]{36}" of line \d+$/,
    (lines) => {
      lineOf(lines, 'secrets').object.metadata.uid = lineOf(lines, 'services').object.metadata.uid;
    },
  ],
  [
    'the resourceVersion of another object',
    422,
    /^line \d+ has the resourceVersion "\d+" of line \d+$/,
    (lines) => {
      const { metadata } = lineOf(lines, 'secrets').object;
      metadata.resourceVersion = lineOf(lines, 'services').object.metadata.resourceVersion;
    },
  ],
  [
    'a resourceVersion from the future',
    422,
    /the resourceVersion "9999", which is not one up to revision \d+$/,
    (lines) => {
      lineOf(lines, 'secrets').object.metadata.resourceVersion = '9999';
    },
  ],
  [
    'a resourceVersion with a leading zero',
    422,
    /the resourceVersion "07", which is not one up to revision \d+$/,
    (lines) => {
      lineOf(lines, 'secrets').object.metadata.resourceVersion = '07';
    },
  ],
  [
    'a duplicate object',
    422,
    /^line \d+ has secrets default\/pin again$/,
    (lines, header) => {
      lines.push(lineOf(lines, 'secrets'));
      header.objects = lines.length;
    },
  ],
  [
    'a revision that is a string',
    400,
    /^its first line is damaged/,
    (_lines, header) => {
      header.revision = '12';
    },
  ],
  [
    'one object fewer than announced',
    400,
    /^it is cut off: of its \d+ objects, \d+ are complete$/,
    (lines) => {
      lines.pop();
    },
  ],
  [
    'one object more than announced',
    400,
    /^it goes on after its \d+ objects$/,
    (lines) => {
      lines.push(lineOf(lines, 'secrets'));
    },
  ],
  [
    'version 2 of the format',
    400,
    /^it has version 2 of the format, /,
    (_lines, header) => {
      header.version = 2;
    },
  ],
];

describe('a damaged snapshot', () => {
  test.each(
    DAMAGES,
  )('a snapshot with %s is refused with the code %d, and the server does not change', async (_what, code, message, damage) => {
    const { cluster, header, lines } = await startWithObjects();
    cluster.server.create(configMap('written-since'));
    const before = (await cluster.ask('GET', '/snapshot')).text;
    damage(lines, header as Record<string, unknown>);

    const { status, body } = await cluster.ask('PUT', '/snapshot', textOf(header, lines));

    expect([status, body.message]).toEqual([code, expect.stringMatching(message)]);
    expect((await cluster.ask('GET', '/snapshot')).text).toBe(before);
    expect((await cluster.send('GET', '/apis/rules.test/v1/gears')).body.items).toHaveLength(1);
  });

  test('a snapshot of 500 MB is refused before it is read, and the server still answers requests', async () => {
    const { cluster, header, lines } = await startWithObjects();
    const text = textOf(header, lines);

    const { status, body } = await cluster.ask('PUT', '/snapshot', text, {
      'content-length': '500000000',
    });

    expect([status, body.message]).toEqual([413, 'the body has more than 268435456 bytes']);
    expect((await cluster.send('GET', CONFIG_MAPS)).status).toBe(200);
  });
});

test('a null in a snapshot is stored in the same way as a null in a request', async () => {
  const { cluster, header, lines } = await startWithObjects();
  const { object } = lineOf(lines, 'deployments.apps');
  Object.assign(object.spec, {
    selector: { matchLabels: { app: 'web', tier: null } },
    paused: null,
  });
  lineOf(lines, 'gears.rules.test').object.metadata.labels = { a: null };

  const { status } = await cluster.ask('PUT', '/snapshot', textOf(header, lines));

  expect(status).toBe(204);
  const { body } = await cluster.send('GET', '/apis/apps/v1/namespaces/default/deployments/web');
  expect(body.spec.selector).toEqual({ matchLabels: { app: 'web', tier: '' } });
  expect(body.spec).not.toHaveProperty('paused');
  const gear = await cluster.send('GET', '/apis/rules.test/v1/namespaces/default/gears/g');
  expect(gear.body.metadata.labels).toEqual({ a: '' });
});

test('a restored object with an invalid selector selects nothing, and does not disturb other objects', async () => {
  const { cluster, header, lines } = await startWithObjects({});
  lineOf(lines, 'deployments.apps').object.spec.selector.matchLabels = { app: 'not a label!' };

  const { status } = await cluster.ask('PUT', '/snapshot', textOf(header, lines));
  cluster.server.applyManifest(MANIFEST.replaceAll('web', 'shop'));

  expect(status).toBe(204);
  const shop = '/apis/apps/v1/namespaces/default/deployments/shop';
  await expect
    .poll(async () => (await cluster.send('GET', shop)).body.status)
    .toMatchObject({ readyReplicas: 1 });
});

test('a snapshot with any damaged value is restored completely or not at all, and controllers still work afterwards', async () => {
  const { cluster, header, lines } = await startWithObjects({});
  const whole = textOf(header, lines);
  const damage = fc.record({ line: fc.nat(), place: fc.nat(), value: VALUES });

  await fc.assert(
    fc.asyncProperty(damage, async ({ line, place, value }) => {
      const damaged = structuredClone(lines);
      damageAt(damaged[line % damaged.length] as Line, place, value);

      const { status } = await cluster.ask('PUT', '/snapshot', textOf(header, damaged));

      expect([204, 400, 422]).toContain(status);
      if (status !== 204) expect(await namesOf(cluster)).toEqual(['g']);
      const restored = await cluster.ask('PUT', '/snapshot', whole);
      expect(restored.status).toBe(204);
      expect(await namesOf(cluster)).toEqual(['g']);
    }),
    propertyRuns(1),
  );
});

/** What a program that writes wrong snapshots most likely leaves in a place, or anything. */
const VALUES = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'not a name!', 0, -1, 1.5, true, [], [null], {}, { '': null }),
  fc.jsonValue(),
);

async function namesOf({ send }: AdministeredCluster): Promise<readonly string[]> {
  const { body } = await send('GET', '/apis/rules.test/v1/gears');
  return body.items.map((each: Line['object']) => each.metadata.name);
}

/** Puts a value in the place of one that is somewhere in the line. */
function damageAt(line: object, place: number, value: unknown): void {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      places.push([node as Record<string, unknown>, key]);
      walk(child);
    }
  };
  walk(line);
  const [node, key] = places[place % places.length] as [Record<string, unknown>, string];
  node[key] = value;
}
