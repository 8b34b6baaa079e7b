/** A client whose writes are dry, against the embedded API server: what it answers, sends and tells. */

import { ApiServer, configMap, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { intercept } from '../../operator/client/client-of.ts';
import {
  type DryRunSink,
  type DryWrite,
  dryRun,
} from '../../operator/client/interceptors/dry-run.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { configMaps, events } from '../../operator/model/builtin.ts';
import { subjectAccessReviews } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { transportTo } from '../transport/raw-server.ts';

const target = { namespace: 'default', name: 'a' };
const VALUE = { type: 'merge', body: { data: { value: '2' } } } as const;

class Told implements DryRunSink {
  readonly writes: DryWrite[] = [];
  readonly events: KubernetesObject[] = [];
  wrote(write: DryWrite): void {
    this.writes.push(write);
  }
  event(event: KubernetesObject): void {
    this.events.push(event);
  }
}

interface Fixture {
  readonly server: ApiServer;
  readonly client: Client;
  readonly told: Told;
}

/** @param rules - what the client may do; default everything. */
async function fixture(verbs?: readonly string[]): Promise<Fixture> {
  const server = await ApiServer.start(verbs === undefined ? {} : { authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.create(configMap('a', { namespace: 'default', data: { value: '1' } }));
  if (verbs !== undefined) allow(server, verbs);
  const url = verbs === undefined ? server.url : await server.urlFor('tester');
  const clock = new FakeClock();
  const rest = restClient({ transport: transportTo(url), fieldManager: 'tester', clock });
  const told = new Told();
  return { server, client: intercept(rest, dryRun(told)), told };
}

function allow(server: ApiServer, verbs: readonly string[]): void {
  const rbac = 'rbac.authorization.k8s.io';
  const metadata = { name: 'tester', namespace: 'default' };
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs }];
  const roleRef = { apiGroup: rbac, kind: 'Role', name: 'tester' };
  const subjects = [{ apiGroup: rbac, kind: 'User', name: 'tester' }];
  server.create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules } as KubernetesObject);
  const binding = { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata, roleRef, subjects };
  server.create(binding as KubernetesObject);
}

test('a dry-run write returns what the server would store, and is reported with the current state', async () => {
  const { server, client, told } = await fixture();

  const answer = await client.patch(configMaps, target, VALUE);

  expect(answer.data).toEqual({ value: '2' });
  expect(told.writes).toMatchObject([
    { verb: 'patch', target, before: { data: { value: '1' } }, after: { data: { value: '2' } } },
  ]);
  expect(server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({ data: { value: '1' } });
});

test('a refused dry-run write is reported and thrown', async () => {
  const { client, told } = await fixture();

  const deleting = client.delete(configMaps, { ...target, name: 'none' });

  await expect(deleting).rejects.toMatchObject({ status: 404 });
  expect(told.writes).toMatchObject([{ verb: 'delete', refusal: { status: 404 } }]);
});

test('if the current state may not be read, a dry-run write is reported with its result and the reason for the missing state', async () => {
  const { client, told } = await fixture(['patch']);

  await client.patch(configMaps, target, VALUE);

  expect(told.writes).toMatchObject([
    { unread: { status: 403 }, before: undefined, after: { data: { value: '2' } } },
  ]);
});

test('a dry run reports an Event, and does not send it', async () => {
  const { server, client, told } = await fixture();
  const event = { apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: target } as never;
  const sent = server.requests.length;

  const answer = await client.create(events, event);
  await client.patch(events, target, { type: 'merge', body: { series: { count: 2 } } });

  expect(answer).toBe(event);
  expect(told.events).toEqual([event]);
  expect(server.requests).toHaveLength(sent);
});

test('a dry run sends access reviews, because they do not write anything', async () => {
  const { client, told } = await fixture();

  const answer = await client.create(subjectAccessReviews, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: { name: '' },
    spec: { user: 'somebody', nonResourceAttributes: { path: '/', verb: 'get' } },
  });

  expect(answer.status?.allowed).toBeDefined();
  expect(told.writes).toEqual([]);
});

test('a write for which the code itself sets `dryRun` is not reported', async () => {
  const { client, told } = await fixture();

  const answer = await client.patch(configMaps, target, VALUE, { dryRun: true });

  expect(answer.data).toEqual({ value: '2' });
  expect(told.writes).toEqual([]);
});

test.each([
  'exec',
  'attach',
  'portforward',
  'proxy',
])('a dry run does not send a request for %s', async (subresource) => {
  const { server, client } = await fixture();
  const sent = server.requests.length;

  const creating = client.create(configMaps, configMap('a') as never, { subresource });

  await expect(creating).rejects.toMatchObject({ code: 'CONFIG' });
  expect(server.requests).toHaveLength(sent);
});
