/** The rights that are generated for a controller are those that it uses. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { rbac } from '../../../operator/low-level.ts';
import { CAT_SET, EXAMPLE_CRDS } from './support/farm.ts';
import { documentsIn, PATIENT, startMetacontroller } from './support/place.ts';
import { declarationsFor } from './support/rights.ts';

const CATS = ['ctl.enisoc.com/v1', 'CatSet'] as const;

interface CatSet extends KubernetesObject {
  readonly status?: { readonly readyReplicas?: number };
}

/** What is granted and cannot be seen here. */
const UNSEEN = [
  'patch decoratorcontrollers.metacontroller.k8s.io status', // there is none
  'update catsets.ctl.enisoc.com finalizers', // asked for when an owner reference blocks a deletion
];

/** A claim that the CatSet adopts. */
const ORPHAN = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'www-cats-7', labels: { app: 'cats' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
} as KubernetesObject;

test('[security 51] [metacontroller 23] [metacontroller M11] the controller of a CatSet needs every write permission that it has, and none of its writes is refused', async () => {
  const place = await startMetacontroller({ subjects: [CAT_SET], manifests: [EXAMPLE_CRDS] });
  const cats = () => place.env.get<CatSet>(...CATS, place.namespace, 'cats');
  const ready = (count: number) =>
    eventually(async () => (await cats())?.status?.readyReplicas === count, PATIENT);
  const patched = (spec: object) => place.env.patch(...CATS, place.namespace, 'cats', { spec });

  await place.apply(ORPHAN);
  await place.apply(
    new URL('../../../examples/metacontroller/sample/cat-set.yaml', import.meta.url),
  );
  await ready(3);
  await patched({ template: { spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } } });
  await eventually(
    () => place.writes().filter((each) => each === 'delete pods').length === 3,
    PATIENT,
  );
  await ready(3);
  await patched({ volumeClaimTemplates: null });
  await eventually(() => place.writes().includes('delete persistentvolumeclaims'), PATIENT);
  await place.env.delete(...CATS, place.namespace, 'cats');
  await eventually(async () => (await cats()) === undefined, PATIENT);

  const granted = writesIn(
    declarationsFor({
      controllers: place.controllers,
      definitions: documentsIn(EXAMPLE_CRDS),
      functions: undefined,
      ownNamespace: place.namespace,
      applyStrategy: 'dynamic-apply',
    }),
    place.namespace,
  );
  const used = new Set(place.writes());
  expect(granted.filter((each) => !used.has(each))).toEqual(UNSEEN);
  expect(place.refusals()).toEqual([]);
});

/** `create pods`, for each verb that changes something. */
function writesIn(declarations: Parameters<typeof rbac>[0], namespace: string): readonly string[] {
  const serviceAccount = { name: 'metacontroller', namespace };
  const roles = rbac(declarations, {
    name: 'metacontroller',
    serviceAccount,
    namespaces: [namespace],
  });
  const rules = roles.flatMap((role) => ('rules' in role ? (role.rules ?? []) : []));
  const writes = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    verbs.flatMap((verb) =>
      resources.map((each) => {
        const [plural, subresource = ''] = each.split('/');
        const name = [plural, ...apiGroups.filter((group) => group !== '')].join('.');
        return `${verb} ${name} ${subresource}`.trim();
      }),
    ),
  );
  const changing = writes.filter((each) => !/^(?:get|list|watch) /.test(each));
  return [...new Set(changing)].filter((each) => !each.includes(' events.')).sort();
}
