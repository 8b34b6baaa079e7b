/**
 * Every part that asks whether an object is gone, against the three answers of an API server: the object is
 * gone, or its definition is, which servers before 1.38 and from 1.38 on say in different words. Only the
 * first answer says anything about the object.
 */
import { startTestEnv, type TestEnvOptions } from '@chancery/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../operator/client/call.ts';
import type { Client } from '../../operator/client/client.ts';
import { intercept } from '../../operator/client/client-of.ts';
import { discoverExactly, resourceFromPath } from '../../operator/client/discovery.ts';
import { explainUnserved } from '../../operator/client/explain-unserved.ts';
import { outcomeOf } from '../../operator/client/interceptors/retry-outcome.ts';
import { filterRefused } from '../../operator/client/response-failure.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { resourceDiscovery } from '../../operator/client/source.ts';
import { remove } from '../../operator/composite/apply-children.ts';
import { DecorationWriter } from '../../operator/composite/decorator/write-decoration.ts';
import type { DecoratorEngineOptions } from '../../operator/composite/engine-options.ts';
import type { RevisionFormat } from '../../operator/composite/revisions/revision-format.ts';
import { RevisionStore } from '../../operator/composite/revisions/revision-store.ts';
import { AppliedMemory } from '../../operator/controller/children/applied-memory.ts';
import {
  applyOwned,
  deleteOwned,
  isLiveOwner,
} from '../../operator/controller/children/apply-owned.ts';
import { HotLoops } from '../../operator/controller/children/hot-loops.ts';
import { ownByApplying } from '../../operator/controller/children/own-by-applying.ts';
import { StatusReplacer } from '../../operator/controller/children/replace-status.ts';
import { statusWriter } from '../../operator/controller/children/write-status.ts';
import { addFinalizer, removeFinalizer } from '../../operator/controller/finalizers/finalizer.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { source } from '../../operator/controller/source.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { isNotFound, isUnserved } from '../../operator/model/not-found.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { ApiError } from '../../operator/model/status.ts';
import type { Transport } from '../../operator/transport/transport.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import { applyDocument } from '../../packages/hooks/src/patches/apply-document.ts';
import type { PreparedDocument } from '../../packages/hooks/src/patches/prepare-documents.ts';
import { dynamicApplyWriter } from '../../packages/metacontroller/src/children/dynamic-apply-writer.ts';
import { serverSideApplyWriter } from '../../packages/metacontroller/src/supervisor/child-writer-of.ts';

const cages = defineResource({
  group: 'zoo.example',
  version: 'v1',
  plural: 'cages',
  kind: 'Cage',
  namespaced: true,
});

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'cages.zoo.example' },
  spec: {
    group: 'zoo.example',
    scope: 'Namespaced',
    names: { plural: 'cages', singular: 'cage', kind: 'Cage' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

const FINALIZER = 'zoo.example/keeper';
const controller = {
  ...{ apiVersion: 'zoo.example/v1', kind: 'Cage', name: 'owner', uid: 'owner-uid' },
  controller: true,
};
const ownerIn = ({ object: { metadata } }: Asking): KubernetesObject => ({
  ...{ apiVersion: 'zoo.example/v1', kind: 'Cage' },
  metadata: { namespace: metadata.namespace, name: 'owner', uid: controller.uid },
});
const { signal } = new AbortController();

interface Asking {
  readonly client: Client;
  readonly transport: Transport;
  readonly context: ReconcileContext;
  /** As it was read before it, or its definition, was deleted. */
  readonly object: KubernetesObject & { readonly metadata: { readonly namespace: string } };
}

const target = ({ object: { metadata } }: Asking) => ({
  namespace: metadata.namespace,
  name: metadata.name,
});
const write = (asking: Asking) => {
  const owner = { owner: ownerIn(asking), ownerResource: cages };
  const { client } = asking;
  const memory = new AppliedMemory();
  const of = { ...owner, client, memory, fieldManager: 'tester', known: async () => undefined };
  const applying: ReconcileContext['applyOwned'] = (resource, child, options) =>
    applyOwned(of, resource, child, options);
  return { ...owner, context: { ...asking.context, applyOwned: applying } };
};
const wanted = ({ object }: Asking) => ({ ...object, spec: { bars: 7 } }) as never;
const finalizers = ({ object }: Asking) => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [FINALIZER] },
});
const decorator = {
  decorator: 'ours',
  parent: source(cages),
  hasStatusSubresource: true,
  failures: { condition: true },
} as unknown as DecoratorEngineOptions;
const server = serverSideApplyWriter('tester');

function documentOf(asking: Asking, action: object): PreparedDocument {
  const { namespace, name } = target(asking);
  const action_ = { apiVersion: 'zoo.example/v1', kind: 'Cage', namespace, name, ...action };
  return {
    ...{ number: 1, resource: cages, needs: [], ignoreMissingObject: true },
    action: action_,
  } as unknown as PreparedDocument;
}

const apply = (asking: Asking, action: object) =>
  applyDocument(
    documentOf(asking, action),
    { client: asking.client, clock: systemClock, jq: {} as never },
    'tester',
    signal,
  );

/** What each part says when the object is gone. */
const ASKS: Readonly<
  Record<string, readonly [ask: (asking: Asking) => Promise<unknown>, gone: unknown]>
> = {
  'client.find': [(asking) => asking.client.find(cages, target(asking)), undefined],
  'a catch of user code': [
    (asking) =>
      asking.client.get(cages, target(asking)).catch((error: unknown) => {
        if (isNotFound(error)) return 'destroy outside';
        throw error;
      }),
    'destroy outside',
  ],
  'a delete whose first answer was lost': [
    async (asking) => {
      const { uid = '' } = asking.object.metadata;
      const call: Call = {
        ...{ verb: 'delete', resource: cages, target: target(asking) },
        options: { preconditions: { uid } },
      };
      const refusal = await asking.client
        .delete(cages, call.target, call.options)
        .catch((error: unknown) => error as ApiError);
      const outcome = await outcomeOf(call, refusal as ApiError, (() => undefined) as never);
      if (outcome === undefined) throw refusal;
      return outcome;
    },
    { answer: undefined },
  ],
  'a finalizer that is added': [
    ({ client, object }) => addFinalizer(client, cages, object, FINALIZER),
    undefined,
  ],
  'a finalizer that is removed': [
    (asking) => removeFinalizer(asking.client, cages, finalizers(asking), FINALIZER),
    undefined,
  ],
  setStatus: [
    ({ client, object }) =>
      statusWriter({
        ...{ object, client, resource: cages, clock: systemClock, memory: new AppliedMemory() },
      })({ phase: 'Open' } as never),
    false,
  ],
  'a status that a function answers': [
    ({ client, object }) => new StatusReplacer().replace(client, cages, object, { phase: 'Open' }),
    { written: undefined, missing: [] },
  ],
  deleteOwned: [
    (asking) => {
      const { client, object } = asking;
      const known = async () => object as never;
      return deleteOwned({ owner: ownerIn(asking), client, known }, cages, target(asking));
    },
    false,
  ],
  'an owner before an adoption': [
    ({ client, object }) => isLiveOwner(client, cages, object),
    false,
  ],
  'a child that is merged': [
    (asking) => dynamicApplyWriter().update(cages, wanted(asking), asking.object, write(asking)),
    undefined,
  ],
  'a child that is compared by a merge': [
    (asking) => dynamicApplyWriter().differs(cages, wanted(asking), asking.object, write(asking)),
    false,
  ],
  'a child that is applied': [
    (asking) => server.update(cages, wanted(asking), asking.object, write(asking)),
    undefined,
  ],
  'a child that is compared by an apply': [
    (asking) => server.differs(cages, wanted(asking), asking.object, write(asking)),
    false,
  ],
  'fields that are taken over': [
    ({ client, object }) => {
      const managedFields = [
        { manager: 'old', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } },
      ];
      const seen = { ...object, metadata: { ...object.metadata, managedFields } };
      return ownByApplying(client, cages, seen as never, {
        ...{ fieldManager: 'tester', formerManagers: ['old'] },
      });
    },
    false,
  ],
  'a child of a composite that is deleted': [
    ({ context, object }) => remove({ resource: cages, object }, context),
    undefined,
  ],
  'a revision that is deleted': [
    ({ context, object }) => {
      const format = { resource: cages, labels: {} } as unknown as RevisionFormat;
      const store = new RevisionStore({ parentResource: cages, format, namespace: undefined });
      return store.remove(object, context);
    },
    undefined,
  ],
  'an object that is decorated': [
    ({ context, object }) => {
      const answer = { children: [], labels: { seen: 'yes' } };
      const decoration = { answer, removed: undefined, inputs: () => '' };
      return new DecorationWriter(decorator, new HotLoops()).write(object, decoration, context);
    },
    false,
  ],
  'a failure of a decorator': [
    ({ context, object }) => {
      const told = { ...context, event() {} };
      return new DecorationWriter(decorator, new HotLoops()).failed(
        object,
        new Error('broken'),
        told,
      );
    },
    undefined,
  ],
  'a hook that deletes': [(asking) => apply(asking, { operation: 'Delete' }), undefined],
  'a hook that deletes in the background': [
    (asking) => apply(asking, { operation: 'DeleteInBackground' }),
    undefined,
  ],
  'a hook that patches what may be missing': [
    (asking) => apply(asking, { operation: 'MergePatch', mergePatch: { spec: {} } }),
    undefined,
  ],
};

type Embedded = NonNullable<TestEnvOptions['embedded']>;

async function startZoo(generation: NonNullable<Embedded['generation']>) {
  const env = await startTestEnv({
    environment: {},
    embedded: { workloads: false, generation },
    install: [{ definition: DEFINITION as never }],
  });
  const transport = undiciTransport(env.url, { clock: systemClock });
  const client = restClient({ transport, fieldManager: 'tester', clock: systemClock });
  const namespace = await env.namespace();
  const made = await env.create({
    ...{ apiVersion: 'zoo.example/v1', kind: 'Cage' },
    metadata: { name: 'lion', namespace, ownerReferences: [controller] },
  });
  const log = { info() {}, debug() {}, warn() {} };
  const context = { client, clock: systemClock, log, signal } as unknown as ReconcileContext;
  const stop = async (): Promise<void> => {
    await transport.close();
    await env.stop();
  };
  const asking = { client, transport, context, object: made } as unknown as Asking;
  return { env, asking, namespace, stop };
}

const GENERATIONS = ['1.36', '1.38'] as const;

describe.each(
  GENERATIONS,
)('[found 1] [K-48] after an object was deleted from a server of version %s', (generation) => {
  let zoo: Awaited<ReturnType<typeof startZoo>>;

  beforeAll(async () => {
    zoo = await startZoo(generation);
    await zoo.env.delete('zoo.example/v1', 'Cage', zoo.namespace, 'lion');
  });
  afterAll(() => zoo.stop());

  test.each(Object.entries(ASKS))('%s reports that the object is gone', async (_, [ask, gone]) => {
    expect(await ask(zoo.asking)).toEqual(gone);
  });

  test('after an object is deleted, discovery still has its resource', async () => {
    const { transport } = zoo.asking;
    const discovery = resourceDiscovery(transport, cages, systemClock);

    expect(await discovery.served(signal)).toEqual(['cages']);
    expect(await discovery.isDefinitionGone(signal)).toBe(false);
    expect(await explainUnserved(transport, cages, { signal })).toBeUndefined();
  });
});

describe.each(
  GENERATIONS,
)('[found 1] [K-48] after a definition was deleted from a server of version %s', (generation) => {
  let zoo: Awaited<ReturnType<typeof startZoo>>;

  beforeAll(async () => {
    zoo = await startZoo(generation);
    const { apiVersion, kind, metadata } = DEFINITION;
    await zoo.env.delete(apiVersion, kind, undefined, metadata.name);
  });
  afterAll(() => zoo.stop());

  test.each(Object.entries(ASKS))('%s fails, because the resource is no longer served', async (_, [
    ask,
  ]) => {
    await expect(ask(zoo.asking)).rejects.toSatisfy(isUnserved);
  });

  test('after a definition is deleted, discovery reports that its resource is not served', async () => {
    const { transport } = zoo.asking;
    const discovery = resourceDiscovery(transport, cages, systemClock);
    const path = '/apis/zoo.example/v1/namespaces/demo/cages';

    expect(await discovery.served(signal)).toEqual([]);
    expect(await discovery.isDefinitionGone(signal)).toBe(true);
    expect(await discoverExactly(transport, cages, { signal })).toBeUndefined();
    expect(await explainUnserved(transport, cages, { signal })).toMatch(
      /^no CustomResourceDefinition cages.zoo.example is installed/,
    );
    await expect(resourceFromPath(transport, path, { signal })).rejects.toThrow(
      'the API server has no resource',
    );
  });

  test('after a definition is deleted, `get` and `list` of the test environment throw, but cleanup works', async () => {
    const { env, namespace } = zoo;

    await expect(env.get('zoo.example/v1', 'Cage', namespace, 'lion')).rejects.toSatisfy(
      isUnserved,
    );
    await expect(env.list(cages, namespace)).rejects.toSatisfy(isUnserved);
  });
});

describe('[found 1] [K-48] writes of hooks to a subresource that the definition does not have', () => {
  let zoo: Awaited<ReturnType<typeof startZoo>>;

  beforeAll(async () => {
    zoo = await startZoo('1.38');
  });
  afterAll(() => zoo.stop());

  const writes = [
    { operation: 'MergePatch', subresource: 'scale', mergePatch: { spec: { replicas: 2 } } },
    { operation: 'JSONPatch', subresource: 'scale', jsonPatch: [] },
  ];

  test.each(
    writes,
  )('$operation of a missing subresource throws if the object exists', async (action) => {
    await expect(apply(zoo.asking, action)).rejects.toMatchObject({
      code: 'USER_CODE',
      message: 'the object has no subresource scale',
      cause: { status: 404 },
    });
  });

  test.each(
    writes,
  )('$operation of a missing subresource succeeds if the object is also missing', async (action) => {
    const missing = { ...action, name: 'tiger' };
    expect(await apply(zoo.asking, missing)).toBeUndefined();
  });

  test.each([
    [
      'the API server',
      new ApiError(
        {
          reason: 'Forbidden',
          message:
            'cages.zoo.example "lion" is forbidden: User "hooks" cannot get resource "cages"',
        },
        { httpStatus: 403 },
      ),
    ],
    ['the filter', filterRefused({ method: 'GET', path: '/apis/zoo.example/v1/cages' })],
  ])('an object is treated as missing if %s refuses to read it', async (_, refusal) => {
    const client = intercept(zoo.asking.client, (next) => async (call) => {
      if (call.verb === 'find') throw refusal;
      return next(call);
    });
    for (const action of writes) {
      expect(await apply({ ...zoo.asking, client }, action)).toBeUndefined();
    }
  });
});
