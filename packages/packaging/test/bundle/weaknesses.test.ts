/** What the other tests of packages look for is found: each weakness is put into a good Pod once. */
import { expect, test } from 'vitest';
import { operatorModel } from '../../../../operator/generate/manifests/operator-model.ts';
import { renderedDeployment } from '../../../../operator/generate/manifests/rendered-objects.ts';
import { options, SITE } from '../../../../test/manifests/support/trees.ts';
import { type PodSpec, podSpecOf } from './guarantees.ts';
import { weaknesses } from './weaknesses.ts';

const model = operatorModel([SITE], options());
const good = podSpecOf([renderedDeployment(model, { scope: 'namespaced' })]);

/** The good Pod with other fields in the security context of its first container. */
function withContext(changed: object): PodSpec {
  const [first, ...others] = good.containers;
  if (first === undefined) throw new Error('no container');
  const securityContext = { ...(first.securityContext as object), ...changed };
  return { ...good, containers: [{ ...first, securityContext }, ...others] };
}

test('the check of Pods finds no security weakness in the Pod of an operator', () => {
  expect(weaknesses(good)).toEqual([]);
});

test.each([
  [{ hostNetwork: true }, 'pod: host namespaces'],
  [{ shareProcessNamespace: true }, 'pod: shared processes'],
  [{ automountServiceAccountToken: true }, 'pod: a token in every container'],
  [{ volumes: [{ name: 'a', hostPath: { path: '/' } }] }, 'pod: a folder of the node'],
  [{ securityContext: { ...(good.securityContext as object), runAsUser: 0 } }, 'pod: root'],
  [
    { securityContext: { ...(good.securityContext as object), sysctls: [] } },
    'pod: kernel settings',
  ],
] as const)('%j in the Pod is reported as a weakness', (changed, weakness) => {
  expect(weaknesses({ ...good, ...changed })).toEqual([weakness]);
});

test.each([
  [{ privileged: true }, 'privileged'],
  [{ allowPrivilegeEscalation: true }, 'may gain privileges'],
  [{ readOnlyRootFilesystem: false }, 'writes to its root'],
  [{ capabilities: { drop: ['NET_RAW'] } }, 'keeps capabilities'],
  [{ capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } }, 'adds capabilities'],
  [{ runAsNonRoot: false }, 'root'],
  [{ procMount: 'Unmasked' }, 'unmasked /proc'],
  [{ appArmorProfile: { type: 'Unconfined' } }, 'unconfined'],
  [{ seLinuxOptions: { type: 'spc_t' } }, 'other labels'],
])('%j in a container is reported as a weakness', (changed, weakness) => {
  expect(weaknesses(withContext(changed))).toEqual([expect.stringContaining(weakness)]);
});
