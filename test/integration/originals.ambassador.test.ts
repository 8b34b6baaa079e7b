/**
 * The operators that config-restart takes over from: manifests of their shape, in our own words, with
 * their names, labels and annotations. The operator gets what the Downward API gives it there.
 */

import type { ApiServer } from '@chancery/testing';
import { customResource, eventually } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { settingsFrom } from '../../operator/manager/settings/settings.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { NAMESPACE, startCluster, startOperator, startTestCluster } from '../support/cluster.ts';

const crds = new URL('../../examples/config-restart/crds/', import.meta.url);

/** What a server answers to those who show objects to people. */
interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** The shell controller's Deployment and its friends: the trigger is an annotation. */
const CONTROLLER = `
apiVersion: v1
kind: ServiceAccount
metadata: { name: config-watcher-controller, namespace: demo }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: config-watcher-controller, namespace: demo }
subjects: [{ kind: ServiceAccount, name: config-watcher-controller }]
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit }
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: config-watcher-controller
  namespace: demo
  labels: { project: k8spatterns, pattern: Controller }
spec:
  replicas: 1
  selector: { matchLabels: { app: config-watcher-controller } }
  template:
    metadata:
      labels: { project: k8spatterns, pattern: Controller, app: config-watcher-controller }
    spec:
      serviceAccountName: config-watcher-controller
      containers:
        - { name: kubeapi-proxy, image: chancery-proxy }
        - name: config-watcher
          image: chancery-operator
          env:
            - name: WATCH_NAMESPACE
              valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
`;

const WEB_APP = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: webapp-config
  namespace: demo
  annotations: { k8spatterns.io/podDeleteSelector: app=webapp }
data: { message: Welcome }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: webapp, namespace: demo, labels: { app: webapp } }
spec:
  selector: { matchLabels: { app: webapp } }
  template:
    metadata: { labels: { app: webapp } }
    spec:
      containers:
        - name: app
          image: mini-http-server
          ports: [{ containerPort: 8080 }]
          env:
            - name: MESSAGE
              valueFrom: { configMapKeyRef: { name: webapp-config, key: message } }
---
apiVersion: v1
kind: Service
metadata: { name: webapp, namespace: demo }
spec:
  selector: { app: webapp }
  ports: [{ name: http, port: 8080, targetPort: 8080 }]
`;

const workloads = { podReadyMs: 20, podStopMs: 10 };

/** The Pod that runs under `name`, or undefined: the only one, and ready. */
function podOf(server: ApiServer, name: string): KubernetesObject | undefined {
  const pods = server
    .list('v1', 'Pod', NAMESPACE)
    .filter(({ metadata }) => metadata.labels?.app === name);
  const { status } = (pods[0] ?? {}) as { status?: { phase?: string } };
  return pods.length === 1 && status?.phase === 'Running' ? pods[0] : undefined;
}

describe('config-restart takes the place of another operator', { timeout: 60_000 }, () => {
  test('config-restart can take the place of the shell controller with the same manifests, and does not restart the Pod it runs in', async () => {
    const { server, proxy } = await startCluster({ workloads });
    server.applyManifest(CONTROLLER);
    server.applyManifest(WEB_APP);
    const own = await eventually(() => podOf(server, 'config-watcher-controller'));
    const before = await eventually(() => podOf(server, 'webapp'));
    const settings = settingsFrom({
      WATCH_NAMESPACE: own.metadata.namespace,
      POD_NAME: own.metadata.name,
      CHANCERY_HEALTH_PORT: '0',
    });
    startOperator(proxy.url, [configRestart], { ...settings, apiUrl: proxy.url });
    await eventually(() => server.get('v1', 'ConfigMap', NAMESPACE, 'config-restart-state'));

    server.patch('v1', 'ConfigMap', NAMESPACE, 'webapp-config', { data: { message: 'Hello' } });

    await eventually(() => {
      const pod = podOf(server, 'webapp');
      return pod !== undefined && pod.metadata.uid !== before.metadata.uid;
    });
    expect(podOf(server, 'config-watcher-controller')?.metadata.uid).toBe(own.metadata.uid);
  });

  test('config-restart can take the place of ConfigWatcher: OP5 the sample is accepted, and a ConfigWatcher without a spec is refused', async () => {
    const { env, namespace } = await startTestCluster();
    await env.apply(crds);
    const watcher = (body: object, group = 'k8spatterns.io'): Promise<KubernetesObject> =>
      env.create(
        customResource(`${group}/v1`, 'ConfigWatcher', 'webapp-config-watcher', {
          namespace,
          ...body,
        }),
      );
    const spec = { configMap: 'webapp-config', podSelector: { app: 'webapp' } };

    await expect(watcher(spec)).rejects.toThrow(/spec: Required value/);
    await watcher({ spec });
    await watcher({ spec }, 'k8spatterns.com'); // both have the short name

    // What `kubectl get` prints.
    const path = `/apis/k8spatterns.io/v1/namespaces/${namespace}/configwatchers`;
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const answer = await fetch(`${env.url}${path}`, { headers: { accept } });
    const { columnDefinitions, rows } = (await answer.json()) as Table;
    expect(columnDefinitions.map(({ name }) => name).slice(0, 3)).toEqual([
      'Name',
      'ConfigMap',
      'PodSelector',
    ]);
    expect(rows.map(({ cells }) => cells.slice(0, 3))).toEqual([
      ['webapp-config-watcher', 'webapp-config', '{"app":"webapp"}'],
    ]);
  });
});
