/** Whatever a child was stated to be, and by how many processes: what is stated last is what there is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Desired } from '../../operator/controller/reconciler.ts';
import { deployments } from '../../operator/model/builtin.ts';
import { services } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { type Family, startFamily } from '../support/owner-and-children.ts';
import { propertyRuns } from '../support/property-runs.ts';

type Service = typeof services extends Resource<infer T> ? T : never;
type Deployment = typeof deployments extends Resource<infer T> ? T : never;

/** What of a child is at stake: in fields that only its controller decides. */
interface Stated {
  readonly labels: Readonly<Record<string, string>>;
  /** Numbers by the name of the port; the server wants each number and each name once. */
  readonly ports: Readonly<Record<string, number>>;
  readonly env: Readonly<Record<string, string>>;
}

const word = fc.constantFrom('x', 'y');
const stated: fc.Arbitrary<Stated> = fc
  .record({
    labels: fc.dictionary(fc.constantFrom('l', 'm'), word),
    numbers: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    names: fc.shuffledSubarray(['p', 'q', 'r'], { minLength: 3 }),
    env: fc.dictionary(fc.constantFrom('A', 'B', 'C'), word),
  })
  .map(({ labels, numbers, names, env }) => ({
    labels,
    ports: Object.fromEntries(numbers.map((number, at) => [names[at], number])),
    env,
  }));

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ state: stated }) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
  { weight: 1, arbitrary: fc.constant('another writes' as const) },
);

/** How one kind of child says it, and where it is found again. */
interface Kind {
  readonly apply: (family: Family, name: string, what: Stated) => Promise<unknown>;
  readonly read: (family: Family, name: string) => Promise<Stated>;
  readonly names: readonly [apiVersion: string, kind: string];
}

const service: Kind = {
  names: ['v1', 'Service'],
  apply: ({ apply }, name, { labels, ports, env }) => {
    const child: Desired<Service> = {
      metadata: { name, labels },
      spec: {
        selector: env,
        ports: Object.entries(ports).map(([name, port]) => ({ name, port })),
      },
    };
    return apply(services, child);
  },
  async read({ env, namespace }, name) {
    const live = await env.get<Service>('v1', 'Service', namespace, name);
    const ports = (live?.spec?.ports ?? []).map(({ name = '', port }) => [name, port]);
    return {
      labels: ours(live?.metadata.labels),
      ports: Object.fromEntries(ports),
      env: live?.spec?.selector ?? {},
    };
  },
};

const deployment: Kind = {
  names: ['apps/v1', 'Deployment'],
  apply: ({ apply }, name, { labels, ports, env }) => {
    const container = {
      name: 'a',
      image: 'a',
      ports: Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort })),
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
    };
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
    const spec = { selector: { matchLabels: { app: 'a' } }, template };
    const child: Desired<Deployment> = { metadata: { name, labels }, spec };
    return apply(deployments, child);
  },
  async read({ env, namespace }, name) {
    const live = await env.get<Deployment>('apps/v1', 'Deployment', namespace, name);
    const [container] = live?.spec?.template.spec?.containers ?? [];
    return {
      labels: ours(live?.metadata.labels),
      ports: Object.fromEntries(
        (container?.ports ?? []).map(({ name = '', containerPort }) => [name, containerPort]),
      ),
      env: Object.fromEntries((container?.env ?? []).map(({ name, value = '' }) => [name, value])),
    };
  },
};

function ours(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== 'theirs'));
}

describe('[K-33] only the fields of the last apply remain, whatever other processes applied before', () => {
  test.each<[string, Kind]>([
    ['Service', service],
    ['Deployment', deployment],
  ])('only the fields of the last apply of a %s remain', async (_, {
    apply,
    read,
    names: [apiVersion, kind],
  }) => {
    const family = await startFamily();
    const { env, namespace } = family;
    let runs = 0;

    await fc.assert(
      fc.asyncProperty(
        stated,
        fc.array(step, { minLength: 1, maxLength: 6 }),
        async (first, steps) => {
          runs += 1;
          const name = `child-${runs}`;
          let isTheirs = false;
          await apply(family, name, first);
          for (const each of steps) {
            if (each === 'restart') family.restart();
            else if (each === 'another writes') {
              isTheirs = true;
              const labels = { theirs: `${runs}` };
              await env.patch(apiVersion, kind, namespace, name, { metadata: { labels } });
            } else {
              await apply(family, name, each.state);
              expect(await read(family, name)).toEqual(each.state);
            }
          }
          const live = await env.get(apiVersion, kind, namespace, name);
          expect(live?.metadata.labels?.theirs !== undefined).toBe(isTheirs);
        },
      ),
      propertyRuns(0.12),
    );
  });
});
