import { describe, expect, test } from 'vitest';
import {
  type Controller,
  controller,
  isController,
  sourcesOf,
} from '../../operator/controller/controller.ts';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import { source } from '../../operator/controller/source.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { configMaps, deployments, pods } from '../../operator/model/builtin.ts';
import { secrets, services } from '../../operator/model/kubernetes/resources.ts';
import { keyOf } from '../../operator/model/object.ts';

const base = {
  name: 'config-restart',
  for: source(configMaps),
  reconcile: async () => {},
};

describe('the function controller()', () => {
  test('a controller has one worker, no mappings and no permissions by default', () => {
    const declared = controller(base);

    expect(declared).toMatchObject({
      name: 'config-restart',
      watches: [],
      permissions: [],
      maxConcurrentReconciles: 1,
    });
    expect(Object.isFrozen(declared)).toBe(true);
  });

  test('`sources` lists the sources that a controller reconciles, owns, watches and reads', () => {
    const labelled = source(secrets, { labelSelector: 'a=b' });
    const declared = controller({
      ...base,
      owns: [deployments],
      watches: [enqueueMapped(pods, () => [])],
      reads: [labelled, services],
    });

    expect(declared.reads).toEqual([labelled, source(services)]);
    expect(sourcesOf(declared)).toEqual([
      base.for,
      source(deployments),
      source(pods),
      labelled,
      source(services),
    ]);
  });

  test('controller() returns the given mappings, permissions and functions', () => {
    const watches = [enqueueMapped(source(pods), () => [])];
    const permissions = [{ resource: pods, verbs: ['get'] }] as const;

    const declared = controller({ ...base, watches, permissions, maxConcurrentReconciles: 4 });

    expect(declared).toMatchObject({ watches, permissions, maxConcurrentReconciles: 4 });
    expect(declared.reconcile).toBe(base.reconcile);
    expect(declared.for).toBe(base.for);
  });

  test('a controller for any kind of object is assignable to Controller', () => {
    const declared: Controller[] = [
      controller({ ...base, for: source(configMaps) }),
      controller({
        ...base,
        for: source(deployments),
        reconcile: async (deployment) => ({
          requeueAfterMs: deployment?.spec.replicas ?? 0, // typed by its source
        }),
      }),
    ];

    expect(declared.every(isController)).toBe(true);
  });

  test.each(['a', 'a1', 'a-b', 'a'.repeat(63)])('%s is a valid name of a controller', (name) => {
    expect(controller({ ...base, name }).name).toBe(name);
  });

  test.each([
    '',
    'A',
    '1a',
    '-a',
    'a-',
    'a_b',
    'a.b',
    'a b',
    'a\n',
    'a'.repeat(64),
  ])('%j is no valid name of a controller', (name) => {
    expect(() => controller({ ...base, name })).toThrow(ConfigurationError);
  });

  test.each([
    0,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('controller() refuses `maxConcurrentReconciles: %d`', (maxConcurrentReconciles) => {
    expect(() => controller({ ...base, maxConcurrentReconciles })).toThrow(ConfigurationError);
  });

  test('isController recognises what controller() returned, and not an object with the same fields', () => {
    expect(isController(controller(base))).toBe(true);
    for (const other of [{ ...base }, base.reconcile, null, undefined, 'controller', []]) {
      expect(isController(other)).toBe(false);
    }
  });

  test('isController also recognises a controller that another copy of the toolkit declared', () => {
    const foreign = { ...base, [Symbol.for('chancery.controller')]: true };

    expect(isController(foreign)).toBe(true);
  });
});

describe('the function source()', () => {
  test('a source watches the configured namespace and is required by default', () => {
    expect(source(configMaps)).toEqual({
      resource: configMaps,
      namespace: 'configured',
      optional: false,
    });
  });

  test('a source keeps its options and is frozen', () => {
    const declared = source(configMaps, {
      namespace: { name: 'a' },
      labelSelector: 'x',
      optional: true,
    });

    expect(declared).toEqual({
      resource: configMaps,
      namespace: { name: 'a' },
      labelSelector: 'x',
      optional: true,
    });
    expect(Object.isFrozen(declared)).toBe(true);
  });
});

describe('the function enqueueMapped()', () => {
  test('enqueueMapped maps each object of its source to keys', async () => {
    const own = source(pods);
    const mapping = enqueueMapped(own, (object) => [keyOf(object), { name: object.kind }]);

    const store = () => expect.unreachable('it looks nothing up');
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'n' } };
    const keys = await mapping.map(pod, { store });

    expect(mapping.source).toBe(own);
    expect([...keys]).toEqual(['n/a', { name: 'Pod' }]);
  });

  test('enqueueMapped accepts a resource in place of a source with default options', () => {
    expect(enqueueMapped(pods, () => []).source).toEqual(source(pods));
  });
});
