import { childName, type Desired } from 'chancery';
import type { coreV1, Secret, Service, StatefulSet } from 'chancery/kubernetes';
import type { Prometheus } from './resources.ts';

/** Found on everything that is made here; only what has it is watched. */
export const MANAGED_BY = 'app.kubernetes.io/managed-by=chancery-prometheus';

const CONFIG_FILE = 'prometheus.yml';
const CONFIG_FOLDER = '/etc/prometheus/config';
const PORT = 9_090;

/**
 * Of the StatefulSet, the Service and the Secret. Kubernetes adds 11 characters for the value of a label of the
 * StatefulSet's Pods, which has 63.
 */
export function nameOf({ metadata }: Prometheus): string {
  return childName(metadata.name, { prefix: 'prometheus', form: 'dns-1035-label', maxLength: 52 });
}

/** By these its Pods are selected: for good, as a StatefulSet's selector cannot be changed. */
export function podLabels({ metadata }: Prometheus): Readonly<Record<string, string>> {
  const instance = childName(metadata.name, { form: 'label-value' });
  return { 'app.kubernetes.io/name': 'prometheus', 'app.kubernetes.io/instance': instance };
}

function metadataOf(prometheus: Prometheus): Desired<Secret>['metadata'] {
  const [key = '', value = ''] = MANAGED_BY.split('=');
  return { name: nameOf(prometheus), labels: { ...podLabels(prometheus), [key]: value } };
}

/** A Secret and no ConfigMap: configurations of scrapes hold passwords, in time. */
export function configSecret(prometheus: Prometheus, text: string): Desired<Secret> {
  const data = { [CONFIG_FILE]: Buffer.from(text).toString('base64') };
  return { metadata: metadataOf(prometheus), data };
}

/** Without an address of its own: it gives the Pods their names. */
export function governingService(prometheus: Prometheus): Desired<Service> {
  return {
    metadata: metadataOf(prometheus),
    spec: {
      clusterIP: 'None',
      selector: podLabels(prometheus),
      ports: [{ name: 'web', port: PORT, targetPort: 'web' }],
    },
  };
}

export function serverSet(prometheus: Prometheus): Desired<StatefulSet> {
  const { replicas, serviceAccountName } = prometheus.spec;
  const name = nameOf(prometheus);
  return {
    metadata: metadataOf(prometheus),
    spec: {
      replicas,
      serviceName: name,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: podLabels(prometheus) },
      template: {
        metadata: { labels: podLabels(prometheus) },
        spec: {
          ...(serviceAccountName !== undefined && { serviceAccountName }),
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_534,
            fsGroup: 65_534,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          terminationGracePeriodSeconds: 600, // to write what it holds in memory
          containers: [serverContainer(prometheus)],
          volumes: [
            { name: 'config', secret: { secretName: name } },
            { name: 'data', emptyDir: {} },
          ],
        },
      },
    },
  };
}

function serverContainer({ spec }: Prometheus): coreV1.Container {
  const probe = (path: string) => ({ httpGet: { path, port: 'web' } });
  return {
    name: 'prometheus',
    image: spec.image ?? `quay.io/prometheus/prometheus:${spec.version}`,
    args: [
      `--config.file=${CONFIG_FOLDER}/${CONFIG_FILE}`,
      // It looks at the file by itself: no second container has to tell it.
      '--enable-feature=auto-reload-config',
      '--storage.tsdb.path=/prometheus',
      `--storage.tsdb.retention.time=${spec.retention}`,
      ...(spec.enableAdminAPI ? ['--web.enable-admin-api'] : []),
    ],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    ports: [{ name: 'web', containerPort: PORT }],
    readinessProbe: probe('/-/ready'),
    livenessProbe: { ...probe('/-/healthy'), failureThreshold: 6 },
    ...(spec.resources && { resources: spec.resources }),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'config', mountPath: CONFIG_FOLDER, readOnly: true },
      { name: 'data', mountPath: '/prometheus' },
    ],
  };
}
