/** Recordings that the conformance command replays: what passed is answered as equally as before. */
import { ApiServer, eventually } from '@chancery/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { newFolder, recordingOf } from '../../../test/cli/record/recorded.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { recordingFolder } from './folder.ts';
import { folderConformance } from './report.ts';

const NAMESPACE = 'plants';
const CORE = `/api/v1/namespaces/${NAMESPACE}`;

/** One request; values of Secrets are named by numbers, and made unlike everything else when they are sent. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly accept?: string;
  readonly body?: unknown;
}

const NAME = fc.constantFrom('fern', 'moss', 'oak');
const payload = (number: number): string => `payload<${number}>"of & secrets"${'ü'.repeat(number)}`;
const PAYLOAD = fc.nat(5).map(payload);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const ENCODED = fc.oneof(
  { weight: 6, arbitrary: PAYLOAD.map(base64) },
  PAYLOAD, // which is no base64
  fc.constantFrom<unknown>('', null, 4_711_471_147, true),
);
const FIELDS = fc.oneof(
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), ENCODED, { maxKeys: 2 }).map((data) => ({ data })),
  fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), PAYLOAD, { maxKeys: 2 })
    .map((stringData) => ({ stringData })),
);
const OBJECT = fc.record({ name: NAME, fields: FIELDS }).map(({ name, fields }) => ({
  name,
  object: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...fields },
}));
const PATCH_TYPES = ['application/merge-patch+json', 'application/strategic-merge-patch+json'];
/** Texts where texts belong: what a server says of an object in their place is masked more than in a replay. */
const OPERATION = fc.record({
  op: fc.constantFrom('add', 'replace', 'remove', 'test'),
  path: fc.constantFrom('/data/a', '/data/b', '/stringData/a'),
  value: PAYLOAD.map(base64),
});

const CALL: fc.Arbitrary<Call> = fc.oneof(
  OBJECT.map(({ object }) => ({ method: 'POST', path: `${CORE}/secrets`, body: object })),
  OBJECT.map(({ name, object }) => ({
    method: 'PUT',
    path: `${CORE}/secrets/${name}`,
    body: object,
  })),
  fc.tuple(NAME, FIELDS, fc.constantFrom(...PATCH_TYPES)).map(([name, body, type]) => ({
    ...{ method: 'PATCH', path: `${CORE}/secrets/${name}`, type, body },
  })),
  OBJECT.map(({ name, object }) => ({
    method: 'PATCH',
    path: `${CORE}/secrets/${name}?fieldManager=gardener&force=true`,
    type: 'application/apply-patch+yaml',
    body: object,
  })),
  fc.tuple(NAME, fc.array(OPERATION, { maxLength: 3 })).map(([name, body]) => ({
    method: 'PATCH',
    path: `${CORE}/secrets/${name}`,
    type: 'application/json-patch+json',
    body,
  })),
  fc.tuple(NAME, PAYLOAD).map(([name, a]) => ({
    method: 'POST',
    path: `${CORE}/configmaps?fieldValidation=Strict`,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a } },
  })),
  NAME.map((name) => ({ method: 'GET', path: `${CORE}/secrets/${name}` })),
  NAME.map((name) => ({ method: 'DELETE', path: `${CORE}/secrets/${name}` })),
  fc.constantFrom(
    { method: 'GET', path: `${CORE}/secrets?limit=1` },
    {
      method: 'GET',
      path: '/api/v1/secrets',
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    },
    { method: 'GET', path: `${CORE}/configmaps?labelSelector=none` },
    { method: 'GET', path: '/version' },
    { method: 'GET', path: '/apis/none.example/v1/things' },
  ),
);

async function send(url: string, { method, path, type, accept, body }: Call): Promise<void> {
  const headers = {
    accept: accept ?? 'application/json',
    ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
  };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  await (await fetch(url + path, { method, headers, ...text })).text();
}

/** An API server with a namespace whose controllers are quiet. */
async function apiServer(): Promise<string> {
  const server = await ApiServer.start({ authorization: 'RBAC', workloads: {} });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await eventually(() => server.get('v1', 'ConfigMap', NAMESPACE, 'kube-root-ca.crt'));
  await eventually(() => server.get('v1', 'ServiceAccount', NAMESPACE, 'default'));
  return server.url;
}

/** It comes last: until then some of the values are known from other objects alone. */
const LAST: Call = {
  method: 'POST',
  path: `${CORE}/secrets`,
  body: {
    metadata: { name: 'last' },
    stringData: Object.fromEntries([0, 1, 2, 3, 4, 5].map((n) => [`p${n}`, payload(n)])),
  },
};

const FIRST: Call = {
  method: 'POST',
  path: `${CORE}/configmaps`,
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first' } },
};

test('a random session with Secrets is recorded without their values, and replayed without a difference', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(CALL, { minLength: 20, maxLength: 40 }), async (calls) => {
      const server = await apiServer();

      const { text, folder, exchanges } = await recordingOf(
        server,
        async (url) => {
          await send(url, FIRST);
          const leaving = new AbortController();
          const watch = await fetch(`${url}${CORE}/secrets?watch=true`, { signal: leaving.signal });
          for (const call of calls) await send(url, call);
          await send(url, LAST);
          for await (const chunk of watch.body?.pipeThrough(new TextDecoderStream()) ?? []) {
            if (chunk.includes('"last"')) break;
          }
          leaving.abort();
        },
        newFolder(),
      );
      const [result] = await folderConformance(recordingFolder(folder));

      expect(exchanges).toHaveLength(calls.length + 3);
      expect(text).not.toMatch(/payload<|of & secrets|4711471147/);
      expect(text).not.toContain(base64('payload<').slice(0, 8));
      const different = result?.exchanges.filter(({ differences }) => differences.length > 0);
      expect(different).toEqual([]);
    }),
    propertyRuns(0.02),
  );
});
