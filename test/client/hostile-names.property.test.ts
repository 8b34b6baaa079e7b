/**
 * Whatever an operator takes for a name, it reaches the object of that name or none: the path that is
 * sent has the segments that were meant, or nothing is sent.
 */

import { FakeClock } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import { ConfigurationError } from '../../operator/core/errors.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { Transport } from '../../operator/transport/transport.ts';

/** Fails every request after it has kept its path. */
class PathKeeper implements Transport {
  readonly paths: string[] = [];

  send({ path }: { readonly path: string }): Promise<never> {
    this.paths.push(path);
    return Promise.reject(new Error('kept'));
  }

  async close(): Promise<void> {}
}

const TRICKS = fc.constantFrom(
  ...['.', '..', '', '/', '%', '%2e%2e', '%2F', '\\', '..\\', '../secrets', 'a/b', 'x/../../y'],
  ...[
    '\n',
    '\r\n',
    '\0',
    '?watch=1',
    '#a',
    ';a',
    'a b',
    '\u2025',
    '\uff0e\uff0e',
    '\uff0f',
    '\ud800',
  ],
  ...['proxy', 'system:node', 'a'.repeat(2_000)],
);

const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('demo', 'a', 'kube-system', 'v1', 'apps') },
  { weight: 3, arbitrary: TRICKS },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.tuple(plain(), TRICKS, plain()).map((texts) => texts.join('')) },
);

function plain(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'secrets', '');
}

const call = fc.record({
  group: fc.oneof(fc.constant('apps'), part),
  version: fc.oneof(fc.constant('v1'), part),
  plural: fc.oneof(fc.constant('things'), part),
  namespace: part,
  name: part,
  subresource: fc.option(part, { nil: undefined }),
  verb: fc.constantFrom('get', 'create', 'apply', 'update', 'patch', 'delete', 'list' as const),
});

type Call = typeof call extends fc.Arbitrary<infer C> ? C : never;

async function carryOut({ verb, namespace, name, subresource, ...names }: Call) {
  const transport = new PathKeeper();
  const client = restClient({ transport, fieldManager: 'test', clock: new FakeClock() });
  const resource = defineResource({ ...names, kind: 'Thing', namespaced: true });
  const metadata = { namespace, name };
  const object: KubernetesObject = { apiVersion: 'v1', kind: 'Thing', metadata };
  const options = { ...(subresource !== undefined && { subresource }) };
  const calls = {
    get: () => client.get(resource, { namespace, name }),
    create: () => client.create(resource, object, options),
    apply: () => client.apply(resource, object, options),
    update: () => client.update(resource, object, { ...options, force: true }),
    patch: () => client.patch(resource, { namespace, name }, { type: 'merge', body: {} }, options),
    delete: () => client.delete(resource, { namespace, name }),
    list: () => client.list(resource, { namespace }),
  };
  const error = await calls[verb]().then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { paths: transport.paths, error };
}

/** What the API server makes of the path: segments, decoded once. */
function segmentsOf(path: string): readonly string[] {
  const [withoutQuery = ''] = path.split('?', 1);
  return withoutQuery.split('/').slice(1).map(decodeURIComponent);
}

function meant({ group, version, plural, namespace, name, subresource, verb }: Call) {
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const collection = [...root, 'namespaces', namespace, plural];
  if (verb === 'list' || (verb === 'create' && subresource === undefined)) return collection;
  const tail = subresource === undefined || ['get', 'delete'].includes(verb) ? [] : [subresource];
  return [...collection, name, ...tail];
}

test('[security 12] a call with any name is sent to exactly that object, or not at all', async () => {
  await fc.assert(
    fc.asyncProperty(call, async (made) => {
      const { paths, error } = await carryOut(made);

      if (paths.length === 0) expect(error).toBeInstanceOf(ConfigurationError);
      for (const path of paths) {
        expect(segmentsOf(path)).toEqual(meant(made));
        expect(segmentsOf(path)).not.toContain('..');
        expect(path).toMatch(/^\/[!-~]*$/);
        // Nor does it become another one when somebody on the way decodes it a second time.
        expect(segmentsOf(path).join('/')).not.toMatch(/%|\\|[\r\n\0]|(^|\/)[.]{0,2}(\/|$)/);
      }
    }),
  );
});

test('a call with valid names is sent', async () => {
  const made = { group: 'apps', version: 'v1', plural: 'things', namespace: 'demo', name: 'a' };

  const { paths } = await carryOut({ ...made, subresource: 'status', verb: 'apply' });

  expect(paths).toEqual(['/apis/apps/v1/namespaces/demo/things/a/status?fieldManager=test']);
});
