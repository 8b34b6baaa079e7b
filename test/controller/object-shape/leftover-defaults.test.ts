/** Defaults of the API server that are invalid beside what is stated, and that no apply has stated. */
import { describe, expect, test } from 'vitest';
import type { Desired } from '../../../operator/controller/reconciler.ts';
import {
  deployments,
  jobs,
  services,
  statefulSets,
} from '../../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { isInvalid } from '../../../operator/model/refusal.ts';
import { apiVersionOf, type Resource } from '../../../operator/model/resource.ts';
import { type Family, startFamily } from '../../support/owner-and-children.ts';

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'a', image: 'a' }] },
};
const workload = { selector: { matchLabels: { app: 'a' } }, template };

type Spec = Readonly<Record<string, unknown>>;

/** A kind, what its spec always has, and two parts of it that take turns. */
const TURNS: readonly (readonly [string, Resource, Spec, Spec, Spec, absent: string])[] = [
  [
    'the strategy of a Deployment',
    deployments as never,
    workload,
    { strategy: { type: 'RollingUpdate' } },
    { strategy: { type: 'Recreate' } },
    'rollingUpdate',
  ],
  [
    'the update strategy of a StatefulSet',
    statefulSets as never,
    { ...workload, serviceName: 'a' },
    { updateStrategy: { type: 'RollingUpdate' } },
    { updateStrategy: { type: 'OnDelete' } },
    'rollingUpdate',
  ],
  [
    'the affinity of a Service',
    services as never,
    { ports: [{ port: 80 }] },
    { sessionAffinity: 'ClientIP' },
    { sessionAffinity: 'None' },
    'sessionAffinityConfig',
  ],
];

const child = (spec: Spec): Desired<KubernetesObject> =>
  ({ metadata: { name: 'a' }, spec }) as Desired<KubernetesObject>;

const specOf = async ({ env, namespace }: Family, resource: Resource): Promise<Spec> => {
  const live = await env.get<KubernetesObject>(
    apiVersionOf(resource),
    resource.kind,
    namespace,
    'a',
  );
  return (live as unknown as { spec: Spec }).spec;
};

describe.each(TURNS)('[child 11] %s', (_, resource, always, one, other, absent) => {
  test.each([
    false,
    true,
  ])('a field can change back and forth, and defaults that belong to the previous value are removed (restarts: %s)', async (restarts) => {
    const family = await startFamily();

    for (const part of [one, other, one, other, one, other]) {
      if (restarts) family.restart();
      await family.apply(resource, child({ ...always, ...part }));
      expect(await specOf(family, resource)).toMatchObject(part);
    }

    expect(JSON.stringify(await specOf(family, resource))).not.toContain(absent);
    const count = family.writes().length;
    await family.apply(resource, child({ ...always, ...other }));
    expect(family.writes()).toHaveLength(count);
  });

  test('a field that has defaults can be removed from the desired object', async () => {
    const family = await startFamily();
    await family.apply(resource, child(always));
    for (const part of [one, other, one]) {
      await family.apply(resource, child({ ...always, ...part }));
    }

    await family.apply(resource, child(always));
    await family.apply(resource, child({ ...always, ...other }));

    expect(await specOf(family, resource)).toMatchObject(other);
  });
});

describe('[child 11] a conflicting field that is not a default', () => {
  const strategy = (type: string, rollingUpdate?: object): Spec => ({
    ...workload,
    strategy: { type, ...(rollingUpdate && { rollingUpdate }) },
  });

  test('a field of another writer that conflicts with the new value is not removed, and the apply fails', async () => {
    const family = await startFamily();
    await family.apply(deployments as never, child(strategy('Recreate')));
    await family.apply(deployments as never, child(strategy('RollingUpdate')));
    const spec = { strategy: { rollingUpdate: { maxSurge: 3 } } };
    await family.env.patch('apps/v1', 'Deployment', family.namespace, 'a', { spec });

    const applying = family.apply(deployments as never, child(strategy('Recreate')));

    await expect(applying).rejects.toSatisfy(isInvalid);
    const { strategy: live } = await specOf(family, deployments as never);
    expect(live).toMatchObject({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 3 } });
  });

  test('if the desired child itself contains the conflict, it is refused after one request', async () => {
    const family = await startFamily();
    await family.apply(deployments as never, child(strategy('RollingUpdate')));
    await family.apply(deployments as never, child(strategy('RollingUpdate', { maxSurge: 2 })));
    const count = family.writes().length;

    const applying = family.apply(
      deployments as never,
      child(strategy('Recreate', { maxSurge: 2 })),
    );

    await expect(applying).rejects.toSatisfy(isInvalid);
    expect(family.writes()).toHaveLength(count + 1);
  });
});

describe.each([
  ['one process', false],
  ['a process that starts anew before each apply', true],
])('[child 11] a Job of %s', (_, restarts) => {
  const pod = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
  const job = (spec: Spec): Desired<KubernetesObject> => child({ template: pod, ...spec });

  async function startJob() {
    const family = await startFamily();
    const state = async (spec: Spec) => {
      if (restarts) family.restart();
      await family.apply(jobs as never, job(spec));
      const { parallelism, completions, ttlSecondsAfterFinished } = await specOf(
        family,
        jobs as never,
      );
      return { parallelism, completions, ttlSecondsAfterFinished };
    };
    return { ...family, state };
  }

  test('after another writer has set the parallelism of a Job, the Job can still be changed, and keeps this parallelism', async () => {
    const { env, namespace, state, writes, apply } = await startJob();
    await state({});
    await env.patch('batch/v1', 'Job', namespace, 'a', { spec: { parallelism: 4 } });

    const after = await state({ ttlSecondsAfterFinished: 60 });

    expect(after).toEqual({ parallelism: 4, completions: 1, ttlSecondsAfterFinished: 60 });
    const count = writes().length;
    await apply(jobs as never, job({ ttlSecondsAfterFinished: 60 }));
    expect(writes()).toHaveLength(count);
  });

  test('the parallelism of a Job can be added later, and removed again', async () => {
    const { state } = await startJob();
    const seen: unknown[] = [];

    for (const spec of [{}, { parallelism: 3 }, {}, { parallelism: 0 }, {}]) {
      seen.push((await state(spec)).parallelism);
    }

    expect(seen).toEqual([1, 3, 1, 0, 1]);
  });

  test('a Job can be changed repeatedly after its parallelism was added', async () => {
    const { state } = await startJob();
    await state({});
    await state({ parallelism: 2 });
    const seen: unknown[] = [];

    for (const ttlSecondsAfterFinished of [60, 70]) {
      seen.push(await state({ parallelism: 2, ttlSecondsAfterFinished }));
    }

    expect(seen).toEqual(
      [60, 70].map((ttlSecondsAfterFinished) => ({
        parallelism: 2,
        completions: 1,
        ttlSecondsAfterFinished,
      })),
    );
  });

  test('the parallelism of a Job can be removed if the Job was created with it', async () => {
    const { state } = await startJob();
    const first = await state({ parallelism: 5 });

    const second = await state({});

    expect(first).toEqual({ parallelism: 5 });
    expect(second).toEqual({ parallelism: 1 });
  });

  test('removing an immutable field without a default from a Job is refused', async () => {
    const { state, env, namespace } = await startJob();
    await state({ completions: 3 });

    await expect(state({})).rejects.toSatisfy(isInvalid);

    const live = await env.get<KubernetesObject>('batch/v1', 'Job', namespace, 'a');
    expect(live).toMatchObject({ spec: { completions: 3, parallelism: 1 } });
  });
});
