/** The generated rights at work: nothing is refused, and nothing is granted that is not used. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { FIRST_NAMESPACE } from '../../../examples/testing/cluster.ts';
import { accessOf } from '../../../operator/access/required-access.ts';
import type { KubernetesObject } from '../../../operator/index.ts';
import { resourceName } from '../../../operator/model/resource.ts';
import { composite, decorator, definition } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import { declarationsFor } from './support/rights.ts';
import type { Subject } from './support/subject.ts';

const GROUP = 'ctl.enisoc.com/v1';
const MILLS = definition('Mill', 'mills');

/** Where the Secret of a webhook is. */
const VAULT = 'default';

interface Mill extends KubernetesObject {
  readonly spec: { readonly size: number };
}

interface SyncRequest {
  readonly parent: Mill;
  readonly finalizing: boolean;
  readonly children: Readonly<Record<string, object>>;
}

/** A child of each update strategy. The one that is recreated has a field that cannot be changed. */
function milled({ parent, finalizing, children }: SyncRequest): object {
  const { name } = parent.metadata;
  const size = String(parent.spec.size);
  const metadata = { name, labels: { mill: name } };
  const isEmpty = Object.values(children).every((each) => Object.keys(each).length === 0);
  return {
    status: { size: parent.spec.size },
    finalized: finalizing && isEmpty,
    children: finalizing
      ? []
      : [
          { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { size } },
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata,
            stringData: undefined,
            data: { size: btoa(size) },
          },
          { apiVersion: 'v1', kind: 'ServiceAccount', metadata, secrets: [{ name: `s${size}` }] },
          { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits: [] } },
        ],
  };
}

function child(resource: string, method: string) {
  return { apiVersion: 'v1', resource, updateStrategy: { method } };
}

const GRINDING: Subject = {
  object: composite('mills', {
    parentResource: { apiVersion: GROUP, resource: 'mills' },
    childResources: [
      child('configmaps', 'InPlace'),
      child('secrets', 'RollingInPlace'),
      child('serviceaccounts', 'Recreate'),
      child('limitranges', 'OnDelete'),
    ],
  }),
  hooks: {
    sync: {
      decide: milled,
      webhook: { authorization: { secretRef: { name: 'mill', namespace: VAULT, key: 'token' } } },
    },
    finalize: { decide: milled },
    customize: {
      decide: () => ({ relatedResources: [{ apiVersion: 'v1', resource: 'podtemplates' }] }),
    },
  },
  related: [{ apiVersion: 'v1', resource: 'podtemplates' }],
};

/** Decorates what has a status subresource and what has none. */
const MARKING: Subject = {
  object: decorator('marks', {
    resources: [
      { apiVersion: 'apps/v1', resource: 'statefulsets' },
      { apiVersion: 'v1', resource: 'endpoints' },
    ],
    attachments: [child('services', 'OnDelete')],
  }),
  hooks: {
    sync: {
      decide: ({ object }: { readonly object: KubernetesObject }) => {
        const { kind, metadata } = object;
        const service = {
          ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: metadata.name } },
          spec: { ports: [{ port: 80 }] },
        };
        const isWanted = kind === 'StatefulSet' && metadata.annotations?.off === undefined;
        return {
          labels: { marked: 'yes' },
          ...(kind === 'StatefulSet' && { status: { replicas: 7 } }),
          attachments: isWanted ? [service] : [],
        };
      },
    },
  },
};

test('[metacontroller 23] [metacontroller M11] the generated permissions are sufficient, and each of them is needed', async () => {
  const place = await startMetacontroller({
    subjects: [GRINDING, MARKING],
    definitions: [MILLS],
    workloads: false,
    stopped: true,
  });
  await place.env.create({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mill', namespace: VAULT } },
    data: { token: btoa('t') },
  } as KubernetesObject);
  place.startOperator();

  await grindAndMark(place);

  // An Event that is repeated is patched. An object that is watched can be read by itself, too.
  const unused = unusedRights(place).filter((right) => !right.startsWith('get '));
  expect(unused).toEqual(['patch events.events.k8s.io']);
});

test('[metacontroller 23] a controller that lacks a permission reports the missing rule, and the other controllers continue', async () => {
  const place = await startMetacontroller({
    subjects: [MARKING, COUNTING],
    definitions: [MILLS],
    workloads: false,
    withheld: () => false, // refusals are what this is about
  });
  const { namespace, env } = place;
  await env.apply([
    { ...GRINDING.object, spec: { ...GRINDING.object.spec, hooks: HOOKS } } as KubernetesObject,
  ]);
  const missing = ['secrets', 'serviceaccounts', 'limitranges'].map(
    (plural) =>
      `add to a ClusterRole: - { apiGroups: [""], resources: [${plural}], verbs: [get, list, watch, create, patch, delete] }`,
  );

  const ready = await eventually(async () => {
    const found = await env.get<Conditioned>(META, 'CompositeController', undefined, 'mills');
    const condition = found?.status?.conditions?.find(({ type }) => type === 'Ready');
    return missing.every((rule) => condition?.message.includes(rule)) && condition;
  }, PATIENT);
  await place.apply(statefulSet());
  await eventually(() => env.get('v1', 'Service', namespace, 'a'), PATIENT);
  await place.apply(mill(3));
  await eventually(() => place.server.calls('/counts/sync').length > 0, PATIENT);

  expect(ready).toMatchObject({ status: 'False', reason: 'Forbidden' });
  expect(ready.message).toContain('in the filter of the ambassador');
  expect(ready.message).not.toContain('resources: [configmaps]'); // another controller needs them, too
});

/** A controller of the same parents, with fewer kinds of children. */
const COUNTING: Subject = {
  object: composite('counts', {
    generateSelector: true,
    parentResource: { apiVersion: GROUP, resource: 'mills' },
    childResources: [child('configmaps', 'InPlace')],
  }),
  hooks: { sync: { decide: () => ({ status: {}, children: [] }) } },
};

const META = 'metacontroller.k8s.io/v1alpha1';
const HOOKS = { sync: { webhook: { url: 'http://127.0.0.1:9/sync' } } };

interface Conditioned extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

/** One life of a mill, and a StatefulSet that is marked, and later is not. */
async function grindAndMark(place: MetacontrollerPlace): Promise<void> {
  const { env, namespace } = place;
  await place.apply(mill(1));
  await place.apply({
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { name: 'bare' },
  } as KubernetesObject);
  await place.apply(statefulSet());
  // The mill adopts it, and does not want it.
  const orphan = { name: 'orphan', labels: { mill: 'a' } };
  await place.apply({ apiVersion: 'v1', kind: 'LimitRange', metadata: orphan } as KubernetesObject);
  const statusIs = async (apiVersion: string, kind: string, wanted: object) => {
    await eventually(async () => {
      const found = await env.get<KubernetesObject & { status?: object }>(
        apiVersion,
        kind,
        namespace,
        'a',
      );
      expect(found?.status).toMatchObject(wanted);
      return true;
    }, PATIENT);
  };
  await statusIs(GROUP, 'Mill', { size: 1 });
  await statusIs('apps/v1', 'StatefulSet', { replicas: 7 });

  await place.apply(mill(2));
  await statusIs(GROUP, 'Mill', { size: 2, conditions: [{ type: 'Updated', status: 'True' }] });
  await eventually(async () => {
    const account = await env.get<KubernetesObject & { secrets?: object }>(
      'v1',
      'ServiceAccount',
      namespace,
      'a',
    );
    return JSON.stringify(account?.secrets) === '[{"name":"s2"}]';
  }, PATIENT);
  await env.patch('apps/v1', 'StatefulSet', namespace, 'a', {
    metadata: { annotations: { off: '' } },
  });
  await eventually(
    async () => (await env.get('v1', 'Service', namespace, 'a')) === undefined,
    PATIENT,
  );
  await env.delete(GROUP, 'Mill', namespace, 'a');
  await eventually(
    async () => (await env.get(GROUP, 'Mill', namespace, 'a')) === undefined,
    PATIENT,
  );
  await place.idle();
}

function mill(size: number): KubernetesObject {
  const spec = { size, selector: { matchLabels: { mill: 'a' } } };
  return { apiVersion: GROUP, kind: 'Mill', metadata: { name: 'a' }, spec } as KubernetesObject;
}

function statefulSet(): KubernetesObject {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'a', image: 'b' }] },
  };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'a' } },
    spec: { serviceName: 'a', replicas: 0, selector: { matchLabels: { a: 'b' } }, template },
  } as KubernetesObject;
}

/** The rights that no request has needed, as `verb resource`. Those that only admission asks for are left out. */
function unusedRights(place: MetacontrollerPlace): string[] {
  const declarations = declarationsFor({
    controllers: place.controllers,
    definitions: [MILLS],
    functions: undefined,
    ownNamespace: FIRST_NAMESPACE,
    applyStrategy: 'dynamic-apply',
  });
  const granted = accessOf(declarations, { namespaces: [place.namespace] })
    .filter(({ unrequested }) => unrequested !== true)
    .flatMap(({ resource, subresource, verbs }) =>
      verbs.map((verb) => line(verb, resourceName(resource), subresource)),
    );
  const used = place.env.requests
    .of()
    .filter(({ user }) => user?.endsWith(':metacontroller'))
    .map(({ verb, resource, subresource }) => line(verb, resource, subresource));
  return [...new Set(granted)].filter((right) => !used.includes(right)).sort();
}

function line(verb: string, resource: string, subresource: string | undefined): string {
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}
