/** The gate in front of the webhooks of a Go manager that serves plain HTTP. */
import { expect, test } from 'vitest';
import { parseYaml } from '../../../../operator/core/yaml.ts';
import { readGateConfig } from '../../../../operator/generate/gate/gate-config.ts';
import { goProject } from './support/go-fixture.ts';
import { Kubebuilder } from './support/kubebuilder.ts';

const WEBHOOKS = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: validating-webhook-configuration
webhooks:
- admissionReviewVersions: [v1]
  clientConfig:
    service: { name: webhook-service, namespace: system, path: /validate-sales-example-com-v1-cart }
  name: vcart-v1.kb.io
  timeoutSeconds: 4
  rules: []
  sideEffects: None
`;

function withWebhooks(
  ...more: readonly (readonly [string, string | RegExp, string])[]
): Kubebuilder {
  const { files } = goProject(
    ['config/default/kustomization.yaml', '#- ../webhook', '- ../webhook'],
    ...more,
  );
  files.set('config/webhook/kustomization.yaml', 'resources:\n- manifests.yaml\n');
  files.set('config/webhook/manifests.yaml', WEBHOOKS);
  return Kubebuilder.of(files);
}

interface Pod {
  readonly initContainers: readonly {
    readonly name: string;
    readonly securityContext?: { readonly runAsUser?: number };
    readonly volumeMounts: readonly { readonly name: string }[];
  }[];
  readonly containers: readonly { readonly volumeMounts: readonly { readonly name: string }[] }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly secretName: string };
  }[];
}

function podIn({ files }: Kubebuilder): Pod {
  const patch = parseYaml(files.get('config/ambassador/manager.yaml') ?? '') as {
    readonly spec: { readonly template: { readonly spec: Pod } };
  };
  return patch.spec.template.spec;
}

test('[admission 12] a manager whose TLS key is in another folder gets the gate, and only the gate mounts the key', async () => {
  const kubebuilder = withWebhooks();

  const { errors } = await kubebuilder.edit([]);

  expect(errors).toEqual([]);
  const { initContainers, containers, volumes } = podIn(kubebuilder);
  expect(initContainers.map(({ name }) => name)).toEqual(['proxy', 'gate']);
  expect(volumes.find(({ name }) => name === 'gate-tls')?.secret?.secretName).toBe(
    'webhook-server-cert',
  );
  const mounting = [...initContainers, ...containers].filter(({ volumeMounts }) =>
    volumeMounts.some(({ name }) => name === 'gate-tls'),
  );
  expect(mounting).toHaveLength(1);
  const map = parseYaml(kubebuilder.files.get('config/ambassador/gate.yaml') ?? '') as {
    readonly data: Readonly<Record<string, string>>;
  };
  expect(readGateConfig(map.data['gate.conf'] ?? '')?.paths).toEqual([
    { path: '/validate-sales-example-com-v1-cart', timeoutSeconds: 4 },
  ]);
  expect(kubebuilder.files.get('config/ambassador/kustomization.yaml')).toContain('gate.yaml');
});

test.each([
  65530, 65531,
])('if the manager runs as user %d, the gate and the ambassador each run as another user', async (user) => {
  const kubebuilder = withWebhooks([
    'config/manager/manager.yaml',
    'readOnlyRootFilesystem: true',
    `readOnlyRootFilesystem: true\n          runAsUser: ${user}`,
  ]);

  const { errors } = await kubebuilder.edit([]);

  expect(errors).toEqual([]);
  const users = podIn(kubebuilder).initContainers.map(
    ({ securityContext }) => securityContext?.runAsUser,
  );
  expect(new Set([...users, user]).size).toBe(3);
});

test('a manager that serves TLS itself is not changed, and gets no gate', async () => {
  const kubebuilder = withWebhooks([
    'config/default/kustomization.yaml',
    /#- path: manager_webhook_patch\.yaml\n# {2}target:\n# {4}kind: Deployment/,
    '- path: manager_webhook_patch.yaml\n  target:\n    kind: Deployment',
  ]);

  const { errors } = await kubebuilder.edit([]);

  expect(errors).toEqual([]);
  expect(podIn(kubebuilder).initContainers.map(({ name }) => name)).toEqual(['proxy']);
  expect(kubebuilder.files.has('config/ambassador/gate.yaml')).toBe(false);
});

test('a project without webhooks has no gate', async () => {
  const kubebuilder = goProject();

  await kubebuilder.edit([]);

  expect(podIn(kubebuilder).initContainers.map(({ name }) => name)).toEqual(['proxy']);
});
