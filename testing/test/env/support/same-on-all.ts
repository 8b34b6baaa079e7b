/** What is the same on every backend. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestEnv } from '../../../src/env/start-test-env.ts';
import type { TestEnv } from '../../../src/env/test-env.ts';
import { configMap } from '../../../src/objects/config.ts';
import type { Backend } from './backends.ts';

export const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: things, singular: thing, kind: Thing, listKind: ThingList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer } } } }
---
apiVersion: example.com/v1
kind: Thing
metadata: { name: first }
spec: { size: 1 }
`;

export function describeBackends(backends: readonly Backend[]): void {
  describe.each(backends)('on %s', { timeout: 60_000 }, (backend, make) => {
    let env: TestEnv;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const around = await make();
      close = around.close;
      env = await startTestEnv({ backend, environment: around.environment });
    }, 60_000);
    afterAll(async () => {
      await env?.stop();
      await close?.();
    }, 60_000);

    test('an environment creates, reads, lists, patches and deletes objects', async () => {
      const namespace = await env.namespace();

      const created = await env.create(configMap('a', { namespace, data: { k: '1' } }));
      await env.patch('v1', 'ConfigMap', namespace, 'a', { data: { k: '2' } });
      const patched = await env.get('v1', 'ConfigMap', namespace, 'a');
      const listed = await env.list('v1', 'ConfigMap', namespace);
      await env.delete('v1', 'ConfigMap', namespace, 'a');

      expect(env.backend).toBe(backend);
      expect(created.metadata.uid).toBe(patched?.metadata.uid);
      expect(patched).toMatchObject({ data: { k: '2' } });
      expect(listed.map(({ kind, metadata }) => [kind, metadata.name])).toContainEqual([
        'ConfigMap',
        'a',
      ]);
      expect(await env.get('v1', 'ConfigMap', namespace, 'a')).toBeUndefined();
    });

    test('env.apply applies a definition and an object of the new kind, and a second apply changes the object', async () => {
      const namespace = await env.namespace();

      await env.apply(CRD, { namespace });
      await env.apply(CRD.replace('size: 1 }', 'size: 2 }'), { namespace });

      expect(await env.get('example.com/v1', 'Thing', namespace, 'first')).toMatchObject({
        spec: { size: 2 },
      });
    });

    test('if the API server refuses a call, the call throws an ApiError', async () => {
      const created = env.create(configMap('a', { namespace: 'gone' }));

      await expect(created).rejects.toMatchObject({
        name: 'ApiError',
        status: 404,
        message: '404 NotFound: namespaces "gone" not found',
      });
    });

    test('env.namespace creates a new namespace with each call', async () => {
      const [one, other] = [await env.namespace(), await env.namespace()];

      expect(one).not.toBe(other);
      expect(await env.list('v1', 'Secret', one)).toEqual([]);
    });

    test('an ambassador accepts only the requests that its filter allows', async () => {
      const filter = { acceptPaths: ['^/version$'], rejectPaths: ['^$'], rejectMethods: ['^$'] };

      const { url } = await env.ambassador(filter);
      const answers = await Promise.all(
        ['/version', '/api/v1/pods'].map(async (path) => (await fetch(url + path)).status),
      );

      expect(answers).toEqual([200, 403]);
    });
  });
}
