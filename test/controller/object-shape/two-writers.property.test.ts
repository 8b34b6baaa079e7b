/**
 * Random objects of built-in and custom kinds, written by two managers in random order: what was stated is there, what is
 * no longer stated is gone, what others wrote stays, and nothing is written when nothing differs. With
 * CHANCERY_TEST_ENV=kubebuilder against a real API server.
 */
import { startTestEnv } from '@chancery/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isRead } from '../../../operator/client/call.ts';
import { intercept } from '../../../operator/client/client-of.ts';
import { restClient } from '../../../operator/client/rest-client.ts';
import { AppliedMemory } from '../../../operator/controller/children/applied-memory.ts';
import {
  applyOwned,
  type OwnerOfChildren,
} from '../../../operator/controller/children/apply-owned.ts';
import { statusWriter } from '../../../operator/controller/children/write-status.ts';
import { systemClock } from '../../../operator/core/clock.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { apiVersionOf, defineResource, type Resource } from '../../../operator/model/resource.ts';
import { undiciTransport } from '../../../operator/transport/undici-transport.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { atomicDefinition, siteDefinition, sites } from '../../support/sites.ts';
import { BUILT_IN } from '../../support/two-writers/built-in-subjects.ts';
import { OPEN_STATUS, SHAPE_DEFINITIONS, SHAPES } from '../../support/two-writers/shapes.ts';
import type { Slot, Subject } from '../../support/two-writers/slots.ts';
import { steps, writeByTwo } from '../../support/two-writers/write-by-two.ts';

/** As Sites, but that the conditions in its status are one value. */
const plots: Resource = defineResource({
  group: 'example.dev',
  version: 'v1',
  plural: 'plots',
  kind: 'Plot',
  namespaced: true,
});

function plotDefinition(): KubernetesObject {
  const text = JSON.stringify(atomicDefinition());
  return JSON.parse(
    text.replaceAll('sites', 'plots').replaceAll('Site', 'Plot').replaceAll('site', 'plot'),
  );
}

const conditionOf = (type: string, whose: 'ours' | 'theirs'): Slot => ({
  path: `status.conditions[type=${type}].status`,
  ours: whose === 'ours' ? ['True', 'False'] : [],
  theirs: whose === 'theirs' ? ['True', 'False'] : [],
});
const SITE_STATUSES: readonly Subject[] = [sites as unknown as Resource, plots].map((resource) => ({
  resource,
  always: {},
  slots: [
    { path: 'status.pages', ours: [1, 2], theirs: [3] },
    { path: 'status.note', ours: ['o1'], theirs: ['t1', 't2'] },
    conditionOf('Ready', 'ours'),
    conditionOf('Stalled', 'ours'),
    conditionOf('Built', 'ours'),
    conditionOf('Audited', 'theirs'),
    conditionOf('Scanned', 'theirs'),
  ],
}));

/** An owner on an API server, our controller and another writer. */
async function startWriters() {
  const env = await startTestEnv({ embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  await env.apply([siteDefinition(), plotDefinition(), ...SHAPE_DEFINITIONS]);
  const namespace = await env.namespace();
  const transport = undiciTransport(env.url, { clock: systemClock });
  onTestFinished(() => transport.close());
  const clientOf = (fieldManager: string) =>
    restClient({ transport, fieldManager, clock: systemClock });
  let writes = 0;
  const client = intercept(clientOf('ours'), (next) => (call) => {
    if (!isRead(call)) writes++;
    return next(call);
  });
  let memories = new Map<Resource, AppliedMemory>();
  /** Each controller has one resource, and a memory of its own. */
  const memoryOf = (resource: Resource): AppliedMemory => {
    const memory = memories.get(resource) ?? new AppliedMemory();
    memories.set(resource, memory);
    return memory;
  };
  const owner = await env.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'owner', namespace },
  });
  const known: OwnerOfChildren['known'] = (resource, { metadata: { name, namespace } }) =>
    client.find(resource, { name, namespace });
  const shared = {
    namespace,
    other: clientOf('other'),
    restart: (): void => {
      memories = new Map();
    },
    writes: (): number => writes,
  };
  return {
    env,
    children: {
      ...shared,
      state: (resource: Resource, stated: object) => {
        const memory = memoryOf(resource);
        const family = { owner, ownerResource: configMaps as unknown as Resource, client, memory };
        return applyOwned({ ...family, known, fieldManager: 'ours' }, resource, stated as never);
      },
    },
    statuses: {
      ...shared,
      subresource: 'status' as const,
      state: async (resource: Resource, stated: object) => {
        const { metadata, status = {} } = stated as { metadata: { name: string }; status?: Status };
        const { conditions, ...fields } = status;
        const object = await client.get(resource, { name: metadata.name, namespace });
        const complete = conditions?.map((each) => ({ reason: 'Said', message: '', ...each }));
        const memory = memoryOf(resource);
        const parts = { resource, client, clock: systemClock, memory, fieldManager: 'ours' };
        const desired = { ...fields, ...(complete && { conditions: complete }) };
        return statusWriter({ ...parts, object })(desired as never);
      },
    },
  };
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: 'True' | 'False' }[];
}

describe('[child 1] [child 2] [child 3] two managers write the same objects in random order', () => {
  let runs = 0;

  beforeAll(() => {
    expect(BUILT_IN.length).toBeGreaterThanOrEqual(12);
    expect(SHAPES.length).toBeGreaterThanOrEqual(2);
  });

  test('two managers write the same children in random order', async () => {
    const { children } = await startWriters();

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...BUILT_IN, ...SHAPES), steps, async (subject, todo) => {
        runs += 1;
        await writeByTwo(subject, `child-${runs}`, todo, children);
      }),
      propertyRuns(0.3),
    );
  });

  test('two managers write the same statuses in random order', async () => {
    const { env, statuses } = await startWriters();

    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SITE_STATUSES, OPEN_STATUS),
        steps,
        async (subject, todo) => {
          runs += 1;
          const { resource } = subject;
          const metadata = { name: `parent-${runs}`, namespace: statuses.namespace };
          await env.create({
            apiVersion: apiVersionOf(resource),
            kind: resource.kind,
            metadata,
            spec: { text: 'x' },
          } as KubernetesObject);
          const isOneValue = resource.plural === 'plots';
          // An apply of a list that is one value takes the conditions of all others away.
          const possible = todo.map((step) =>
            isOneValue && step.does === 'other' && step.by === 'apply'
              ? { ...step, by: 'update' as const }
              : step,
          );
          await writeByTwo(subject, metadata.name, possible, statuses);
        },
      ),
      propertyRuns(0.3),
    );
  });
});
