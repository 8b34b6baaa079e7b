/** What OLM makes of a bundle: what differs from what was generated, and that no credential reaches the operator. */
import { expect, test } from 'vitest';
import { lint } from '../../../../operator/generate/lint/lint.ts';
import type { ModelDeployment } from '../../../../operator/generate/manifests/model-deployment.ts';
import { bundle, type Csv, csvOf, demo } from './support/bundles.ts';
import { madeByOlm } from './support/made-by-olm.ts';

/** The rules of the linter that are broken, and what is said of them first. */
function broken(csv: Csv, mode: Parameters<typeof madeByOlm>[1]): readonly string[] {
  return lint(madeByOlm(csv, mode))
    .filter(({ level }) => level === 'error')
    .map(({ rule, object, message }) => `${rule}: ${object} ${message.split(/: |; /)[0]}`)
    .sort();
}

const PLAIN_ACCOUNT =
  'automount-off: ServiceAccount/demo automountServiceAccountToken is not false';

test('[packaging 11] in the mode AllNamespaces, OLM grants more permissions than the overlay in exactly three ways, which the linter reports', () => {
  expect(broken(csvOf(bundle()), 'AllNamespaces')).toEqual([
    PLAIN_ACCOUNT,
    // The filter still lets the Lease of its own namespace through and no other, and no namespace at all.
    ...[
      'grants create, get, update of leases.coordination.k8s.io in every namespace',
      'grants get, list, watch of namespaces',
    ].map((wrong) => `right-without-path: ClusterRole/demo.v1.2.3-all rules ${wrong}`),
  ]);
});

test('[packaging 11] in the mode OwnNamespace, the operator has permissions in one namespace, and its filter allows other namespaces, too', () => {
  const csv = csvOf(bundle(demo(), { installModes: ['OwnNamespace'] }));

  const [account, ...paths] = broken(csv, 'OwnNamespace');

  expect(account).toBe(PLAIN_ACCOUNT);
  const opened = paths.map((line) => /^path-without-right: .* opens (\S+)$/.exec(line)?.[1]);
  // Of the resources that the operator declares, and of no other.
  const other = '/namespaces/any-other-namespace';
  expect(opened).toEqual([
    '/apis/apps/v1/deployments',
    `/apis/apps/v1${other}/deployments`,
    `/apis/apps/v1${other}/deployments/any-other-name`,
    `/apis/events.k8s.io/v1${other}/events`,
    `/apis/events.k8s.io/v1${other}/events/any-other-name`,
    `/apis/example.dev/v1${other}/websites`,
    `/apis/example.dev/v1${other}/websites/any-other-name`,
    `/apis/example.dev/v1${other}/websites/any-other-name/status`,
    '/apis/example.dev/v1/websites',
  ]);
});

test('[packaging 11] the token is mounted only into the ambassador, and OLM mounts no key', () => {
  const csv = csvOf(bundle());
  const deployment = madeByOlm(csv, 'AllNamespaces').find(({ kind }) => kind === 'Deployment');
  const { spec } = (deployment as ModelDeployment).spec.template;

  const withToken = spec.containers.filter((each) =>
    JSON.stringify(each).includes('/serviceaccount'),
  );

  expect(withToken.map(({ name }) => name)).toEqual(['proxy']);
  expect(spec.automountServiceAccountToken).toBe(false);
  // OLM mounts serving certificates for these alone.
  expect(csv.spec.webhookdefinitions).toBeUndefined();
  expect(csv.spec.apiservicedefinitions).toBeUndefined();
});

test('the linter reports a volume that a Subscription mounts into every container', () => {
  const objects = madeByOlm(csvOf(bundle()), 'AllNamespaces').map((object) => {
    if (object.kind !== 'Deployment') return object;
    const copy = structuredClone(object) as unknown as {
      spec: {
        template: { spec: { containers: { volumeMounts?: object[] }[]; volumes: object[] } };
      };
    };
    const { containers, volumes } = copy.spec.template.spec;
    volumes.push({ name: 'ca', configMap: { name: 'ca' } });
    for (const each of containers) {
      each.volumeMounts = [...(each.volumeMounts ?? []), { name: 'ca', mountPath: '/ca' }];
    }
    return copy as unknown as typeof object;
  });

  const rules = lint(objects).map(({ rule, path }) => `${rule} ${path}`);

  expect(rules).toContain('no-shared-volumes containers[operator].volumeMounts[ca]');
});
