/**
 * The permissions that are generated from declarations, tried for real: the operator runs as the
 * ServiceAccount that they are for, on an API server on which Roles count.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { ApiServer, eventually } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { type RbacRole, type RbacRoleBinding, rbac } from '../../operator/access/rbac.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { NAMESPACE, startOperator, startProxy } from '../support/cluster.ts';
import type { LogLine } from '../support/recording-log.ts';

const controllers = [configRestart];
const SERVICE_ACCOUNT = { name: 'config-restart', namespace: NAMESPACE };
const USER = `system:serviceaccount:${NAMESPACE}:${SERVICE_ACCOUNT.name}`;
const SELF = { podNamespace: NAMESPACE, podName: 'config-restart-0' };

const crds = new URL('../../examples/config-restart/crds/', import.meta.url);
const definitions = readdirSync(crds).map((file) => readFileSync(new URL(file, crds), 'utf8'));

const permissions = rbac(controllers, {
  namespaces: [NAMESPACE],
  name: 'config-restart',
  serviceAccount: SERVICE_ACCOUNT,
});

/** A cluster in which a Deployment runs and the operator has been granted `granted`. */
async function cluster(granted: readonly (RbacRole | RbacRoleBinding)[]) {
  const server = await ApiServer.start({
    authorization: 'RBAC',
    workloads: { podReadyMs: 20, podStopMs: 10 },
  });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  for (const manifest of definitions) server.applyManifest(manifest);
  for (const object of granted) server.create(object as unknown as KubernetesObject);
  server.create(deployment('webapp', { app: 'webapp' }));
  server.create(settings('one'));
  await eventually(() => server.list('v1', 'Pod', NAMESPACE).length === 2);
  const filter = proxyFilter(controllers, { namespaces: [NAMESPACE] });
  const proxy = await startProxy(await server.urlFor(USER), filter);
  return { server, url: proxy.url };
}

function deployment(name: string, labels: Readonly<Record<string, string>>): KubernetesObject {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  } as KubernetesObject;
}

function settings(value: string): KubernetesObject {
  const annotations = {
    'k8spatterns.io/podDeleteSelector': 'app=webapp',
    'k8spatterns.io/debounceSeconds': '0',
  };
  const metadata = { name: 'settings', namespace: NAMESPACE, annotations };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } } as KubernetesObject;
}

/** What the operator keeps about a ConfigMap that it has seen. */
const remembered = (server: ApiServer): Promise<string> =>
  eventually(() => {
    const state = server.get('v1', 'ConfigMap', NAMESPACE, 'config-restart-state') as
      | { readonly data?: Readonly<Record<string, string>> }
      | undefined;
    return state?.data?.settings;
  });

const rollouts = (server: ApiServer): number =>
  server.list('apps/v1', 'ReplicaSet', NAMESPACE).length;

/** What the API server refused because of missing rights, as the operator was told. */
function refusals(lines: readonly LogLine[]): readonly ApiError[] {
  return lines
    .flatMap(({ fields }) => Object.values(fields))
    .filter((value) => value instanceof ApiError)
    .filter(({ status }) => status === 403);
}

/** The permissions without one verb on one resource. */
function without(verb: string, resource: string): readonly (RbacRole | RbacRoleBinding)[] {
  return permissions.map((object) => {
    if (!('rules' in object)) return object;
    const rules = object.rules.flatMap((rule) =>
      rule.resources.map((one) => ({
        ...rule,
        resources: [one],
        verbs: one === resource ? rule.verbs.filter((other) => other !== verb) : rule.verbs,
      })),
    );
    return { ...object, rules };
  });
}

describe('config-restart with exactly the permissions it declares', { timeout: 60_000 }, () => {
  test('config-restart with generated permissions restarts the Pods, and no request is refused', async () => {
    const { server, url } = await cluster(permissions);
    const operator = startOperator(url, controllers, SELF);
    await remembered(server);

    server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', { data: { value: 'two' } });
    await eventually(() => rollouts(server) === 2);
    await eventually(() => server.list('events.k8s.io/v1', 'Event', NAMESPACE).length > 0);

    expect(operator.logged('error')).toEqual([]);
    expect(operator.logged('warn')).toEqual([]);
  });

  test.each([
    [
      'watch',
      'configmaps',
      'configmaps is forbidden: ',
      'watch resource "configmaps" in API group ""',
    ],
    [
      'patch',
      'deployments',
      'deployments.apps "webapp" is forbidden: ',
      'patch resource "deployments" in API group "apps"',
    ],
  ])('without permission to %s %s, config-restart does nothing, and its error contains the missing permission', async (verb, resource, what, right) => {
    const { server, url } = await cluster(without(verb, resource));

    const operator = startOperator(url, controllers, SELF);
    if (verb === 'patch') await remembered(server);
    server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', { data: { value: 'two' } });
    const refusal = await eventually(() => refusals(operator.lines)[0]);

    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({
      code: 'API_STATUS',
      layer: 'api-server',
      status: 403,
      reason: 'Forbidden',
    });
    expect(refusal.message).toBe(
      `403 Forbidden: ${what}User "${USER}" cannot ${right} in the namespace "${NAMESPACE}"`,
    );
    expect(rollouts(server)).toBe(1);
  });
});
