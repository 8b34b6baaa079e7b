/**
 * The rules of hooks/secret-copier.py behind the runner of hooks, in many orders of events. A hook itself is a child process, which
 * takes real time: here a function of this process decides as it does.
 */
import { type Scenario, secret } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Secret } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { EXPLORING, explored } from '../../testing/exploring.ts';
import { inProcessHook, type Snapshots } from './in-process-hook.ts';

const LABEL = 'hooks.chancery.dev/copy';
const ORIGIN = 'hooks.chancery.dev/copied-from';

interface Copied {
  readonly namespace: string;
  readonly name: string;
  readonly type: string;
  readonly data: unknown;
  readonly origin: string | null;
}

interface Place {
  readonly name: string;
  readonly ends: boolean;
}

const FILTERS = {
  secret: ({ metadata, type, data }: Secret) => ({
    namespace: metadata.namespace,
    name: metadata.name,
    type,
    data: data ?? null,
    origin: metadata.annotations?.[ORIGIN] ?? null,
  }),
  namespace: ({ metadata }: KubernetesObject) => ({
    name: metadata.name,
    ends: metadata.deletionTimestamp !== undefined,
  }),
};

function binding(name: string, kind: string, label: string, jqFilter: keyof typeof FILTERS) {
  const labelSelector = { matchLabels: { [LABEL]: label } };
  return { name, kind, labelSelector, jqFilter, keepFullObjectsInMemory: false, group: 'copies' };
}

const CONFIG = {
  configVersion: 'v1',
  kubernetes: [
    binding('sources', 'Secret', 'yes', 'secret'),
    binding('namespaces', 'Namespace', 'yes', 'namespace'),
    binding('copies', 'Secret', 'made', 'secret'),
  ],
};

/** The copies that there should be, by namespace and name. Of two sources with one name the first counts. */
function wantedCopies(sources: readonly Copied[], namespaces: readonly Place[]) {
  const wanted = new Map<string, Copied>();
  for (const source of sources) {
    for (const { name: namespace, ends } of namespaces) {
      const key = `${namespace}/${source.name}`;
      if (ends || namespace === source.namespace || wanted.has(key)) continue;
      wanted.set(key, { ...source, namespace, origin: `${source.namespace}/${source.name}` });
    }
  }
  return wanted;
}

function patchesOf(snapshots: Snapshots): readonly object[] {
  const read = <T>(name: string): readonly T[] =>
    (snapshots[name] ?? []).map(({ filterResult }) => filterResult);
  const wanted = wantedCopies(read('sources'), read('namespaces'));
  const there = new Map(
    read<Copied>('copies').map((copy) => [`${copy.namespace}/${copy.name}`, copy]),
  );
  const gone = [...there].filter(([key, copy]) => wanted.get(key)?.type !== copy.type);
  const deleted = gone.map(([, { namespace, name }]) => ({
    ...{ operation: 'DeleteInBackground', apiVersion: 'v1', kind: 'Secret', namespace, name },
  }));
  const written = [...wanted].flatMap(([key, copy]) => {
    const old = there.get(key);
    // The type of a Secret cannot change: its copy is deleted, and made again when that is told.
    if (old !== undefined && (old.type !== copy.type || isSame(old, copy))) return [];
    const { namespace, name, type, data, origin } = copy;
    const metadata = {
      namespace,
      name,
      labels: { [LABEL]: 'made' },
      annotations: { [ORIGIN]: origin },
    };
    const object = { apiVersion: 'v1', kind: 'Secret', metadata, type, data };
    return [{ operation: old === undefined ? 'CreateIfNotExists' : 'CreateOrUpdate', object }];
  });
  return [...deleted, ...written];
}

const isSame = (one: Copied, other: Copied): boolean =>
  one.origin === other.origin && JSON.stringify(one.data) === JSON.stringify(other.data);

function place(name: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { [LABEL]: 'yes' } } };
}

function registry(fields: object = {}): Secret {
  const labels = { [LABEL]: 'yes' };
  return {
    ...secret('registry', { namespace: 'default', labels, data: { a: 'b25l' } }),
    ...fields,
  };
}

const scenario: Scenario = {
  name: 'hooks',
  objects: [place('north'), place('south'), registry()],
  controllers: () => [],
  runnables: () => [
    inProcessHook({
      name: 'secret-copier',
      config: CONFIG,
      rights: [
        { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete', 'get', 'update'] },
      ],
      filters: FILTERS,
      patches: patchesOf,
    }),
  ],
  changes: [
    {
      name: 'a person changes the Secret',
      apply: (cluster) =>
        void cluster.patch('v1', 'Secret', 'default', 'registry', { data: { a: 'dHdv' } }),
    },
    {
      name: 'somebody deletes a copy',
      apply: (cluster) => cluster.delete('v1', 'Secret', 'north', 'registry'),
    },
    {
      name: 'a person wants no copies in south',
      apply: (cluster) =>
        void cluster.patch('v1', 'Namespace', undefined, 'south', {
          metadata: { labels: { [LABEL]: null } },
        }),
    },
    {
      name: 'a person deletes the Secret',
      apply: (cluster) => cluster.delete('v1', 'Secret', 'default', 'registry'),
    },
    {
      name: 'a person creates the Secret with another type',
      apply: (cluster) => void cluster.create(registry({ type: 'example.dev/other' })),
    },
  ],
  atRest: [
    {
      name: 'north has the copy, and south has none',
      check: (cluster) => {
        const copies = cluster
          .list('v1', 'Secret')
          .filter(({ metadata }) => metadata.labels?.[LABEL] === 'made') as readonly Secret[];
        const shown = copies.map(({ metadata, type }) => `${metadata.namespace} ${type}`);
        if (shown.join() !== 'north example.dev/other') return `there are ${shown.join()}`;
      },
    },
  ],
};

test('`hooks` reach the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'hooks' });
});
