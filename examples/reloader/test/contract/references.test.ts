/** Which resources a Pod template references, and the container that a restart marks. */
import type { coreV1 } from 'chancery/kubernetes';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { referencesOf } from '../../contract/references.ts';
import { type ResourceRef, refKey } from '../../contract/resource-type.ts';

const CONFIG: ResourceRef = { type: 'CONFIGMAP', name: 'app' };
const SECRET: ResourceRef = { type: 'SECRET', name: 'app' };
const CLASS: ResourceRef = { type: 'SECRETPROVIDERCLASS', name: 'app' };

const mount = (...names: string[]): Pick<coreV1.Container, 'volumeMounts'> => ({
  volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
});
const envFrom: Pick<coreV1.Container, 'envFrom'> = { envFrom: [{ configMapRef: { name: 'app' } }] };
const configVolume = (name: string): coreV1.Volume => ({ name, configMap: { name: 'app' } });

/** The references as `key by container`, in the order in which they were found. */
function found(podSpec: coreV1.PodSpec): string[] {
  return [...referencesOf(podSpec)].map(([key, { by, container }]) => `${key} ${by} ${container}`);
}

const VOLUMES: readonly (readonly [string, ResourceRef, Omit<coreV1.Volume, 'name'>])[] = [
  ['a ConfigMap volume', CONFIG, { configMap: { name: 'app' } }],
  ['a Secret volume', SECRET, { secret: { secretName: 'app' } }],
  [
    'a projected ConfigMap',
    CONFIG,
    { projected: { sources: [{ downwardAPI: {} }, { configMap: { name: 'app' } }] } },
  ],
  ['a projected Secret', SECRET, { projected: { sources: [{ secret: { name: 'app' } }] } }],
  [
    'a CSI volume',
    CLASS,
    {
      csi: {
        driver: 'secrets-store.csi.k8s.io',
        volumeAttributes: { secretProviderClass: 'app' },
      },
    },
  ],
];

const ENVIRONMENTS: readonly (readonly [string, ResourceRef, Partial<coreV1.Container>])[] = [
  [
    'env of a ConfigMap',
    CONFIG,
    { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'app', key: 'a' } } }] },
  ],
  [
    'env of a Secret',
    SECRET,
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'app', key: 'a' } } }] },
  ],
  ['envFrom of a ConfigMap', CONFIG, { envFrom: [{ configMapRef: { name: 'app' } }] }],
  ['envFrom of a Secret', SECRET, { envFrom: [{ prefix: 'P_', secretRef: { name: 'app' } }] }],
];

describe('[reloader 6] references of a Pod template', () => {
  test.each(VOLUMES)('%s that an app container mounts is a reference', (_, ref, volume) => {
    const podSpec = {
      volumes: [{ name: 'v', ...volume }],
      containers: [{ name: 'side' }, { name: 'main', ...mount('v') }],
    };

    expect(found(podSpec)).toEqual([`${refKey(ref)} mount main`]);
  });

  test.each(VOLUMES)('%s that only an init container mounts is a reference', (_, ref, volume) => {
    const podSpec = {
      volumes: [{ name: 'v', ...volume }],
      initContainers: [{ name: 'init', ...mount('v') }],
      containers: [{ name: 'side' }, { name: 'main' }],
    };

    expect(found(podSpec)).toEqual([`${refKey(ref)} init-mount side`]);
  });

  test.each(ENVIRONMENTS)('%s in an app container is a reference', (_, ref, environment) => {
    const containers = [{ name: 'side' }, { name: 'main', ...environment }];

    expect(found({ containers })).toEqual([`${refKey(ref)} env main`]);
  });

  test.each(ENVIRONMENTS)('%s only in an init container is a reference', (_, ref, environment) => {
    const containers = [{ name: 'side' }, { name: 'main' }];

    expect(found({ initContainers: [{ name: 'init', ...environment }], containers })).toEqual([
      `${refKey(ref)} init-env side`,
    ]);
  });
});

describe('[reloader 6] the container to mark', () => {
  test('a second container that mounts the resource is marked rather than a first container with environment variables', () => {
    const podSpec = {
      volumes: [configVolume('v')],
      containers: [
        { name: 'first', ...envFrom },
        { name: 'second', ...mount('v') },
      ],
    };

    expect(found(podSpec)).toEqual(['configmap/app mount second']);
  });

  test('if an init container mounts the resource, the first container is marked rather than a container with environment variables', () => {
    const podSpec = {
      volumes: [configVolume('v')],
      initContainers: [{ name: 'init', ...mount('v') }],
      containers: [{ name: 'first' }, { name: 'second', ...envFrom }],
    };

    expect(found(podSpec)).toEqual(['configmap/app init-mount first']);
  });

  test('if both an init container and an app container use the resource in their environment, the app container is marked', () => {
    const podSpec = {
      initContainers: [{ name: 'init', ...envFrom }],
      containers: [{ name: 'first' }, { name: 'second', ...envFrom }],
    };

    expect(found(podSpec)).toEqual(['configmap/app env second']);
  });

  test('for each resource, the first of several containers that mount it is marked', () => {
    const podSpec = {
      volumes: [configVolume('v'), { name: 's', secret: { secretName: 'app' } }],
      containers: [
        { name: 'first', ...mount('s') },
        { name: 'second', ...mount('v', 's') },
        { name: 'third', ...mount('v') },
      ],
    };

    expect(found(podSpec)).toEqual(['configmap/app mount second', 'secret/app mount first']);
  });

  test('the first volume of a resource decides which container is marked, even if only an init container mounts it', () => {
    const podSpec = {
      volumes: [configVolume('one'), configVolume('two')],
      initContainers: [{ name: 'init', ...mount('one') }],
      containers: [{ name: 'first' }, { name: 'second', ...mount('two') }],
    };

    expect(found(podSpec)).toEqual(['configmap/app init-mount first']);
  });
});

test('[reloader 6] [reloader R20] if nothing mounts the first volume of a resource, its second volume is used', () => {
  const podSpec = {
    volumes: [configVolume('unused'), configVolume('used')],
    containers: [{ name: 'first' }, { name: 'second', ...mount('used') }],
  };

  expect(found(podSpec)).toEqual(['configmap/app mount second']);
});

describe('[reloader 6] fields that are not references', () => {
  test.each<[string, coreV1.PodSpec]>([
    ['a volume that nothing mounts', { volumes: [configVolume('v')], containers: [{ name: 'a' }] }],
    ['an image pull secret', { imagePullSecrets: [{ name: 'app' }], containers: [{ name: 'a' }] }],
    [
      'the environment of an ephemeral container',
      { ephemeralContainers: [{ name: 'debug', ...envFrom }], containers: [{ name: 'a' }] },
    ],
    [
      'the secret that a CSI driver needs to publish',
      {
        volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'app' } } }],
        containers: [{ name: 'a', ...mount('v') }],
      },
    ],
    [
      'a reference without a name',
      {
        volumes: [{ name: 'v', secret: {} }],
        containers: [{ name: 'a', ...mount('v'), envFrom: [{ configMapRef: { name: '' } }] }],
      },
    ],
  ])('%s does not count as a reference', (_, podSpec) => {
    expect(found(podSpec)).toEqual([]);
  });
});

test('a template without containers has references, but no container to mark', () => {
  const podSpec = { containers: [], initContainers: [{ name: 'init', ...envFrom }] };

  expect(found(podSpec)).toEqual(['configmap/app init-env undefined']);
});

test('a reference is found at any position among other containers', () => {
  const other = fc.constantFrom<Partial<coreV1.Container>>(
    {},
    { env: [{ name: 'PLAIN', value: '1' }] },
    { envFrom: [{ secretRef: { name: 'other' } }] },
    mount('other'),
  );
  fc.assert(
    fc.property(fc.array(other), fc.array(other), (before, after) => {
      const containers = [...before, { env: [], ...envFrom }, ...after].map((each, index) => ({
        ...each,
        name: `c${index}`,
      }));

      const reference = referencesOf({ containers }).get(refKey(CONFIG));

      expect(reference).toEqual({ ref: CONFIG, by: 'env', container: `c${before.length}` });
    }),
  );
});
