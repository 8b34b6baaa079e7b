/** What the original does wrong with the client, by the numbers of the README. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { API, RESTLESS, service, startTunnels, tunnelOf } from './place.ts';

test('IN7: a client uses the current ports of the Service, and is created again after a deletion', async () => {
  const place = await startTunnels();
  const { env, namespace } = place;
  await place.apply([service('nginx-1')]);
  await place.ready();
  const ports = [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ];
  await env.patch('v1', 'Service', namespace, 'nginx-1', { spec: { ports } });
  const before = await eventually(async () => {
    const live = await place.client();
    return live?.metadata.annotations?.['inlets.dev/ports'] === '80,443' && live;
  });

  await env.delete('apps/v1', 'Deployment', namespace, 'nginx-1-tunnel-client');
  const after = await eventually(async () => {
    const live = await place.client();
    return live !== undefined && live.metadata.uid !== before.metadata.uid && live;
  });

  const [container] = after.spec?.template.spec?.containers ?? [];
  expect(container?.args).toContain('--ports=80,443');
  expect(container?.args).toContain('--url=wss://203.0.113.1:8123/connect');
});

test("IN8: a foreign Deployment with the client's name is not changed, and the Tunnel does not refer to it", async () => {
  const place = await startTunnels();
  await place.apply(foreignClient);
  await place.apply([service('nginx-1')]);

  const tunnel = await place.because('NotOwned');
  const before = place.writes().length;
  await place.manage('true');
  await place.passes(1);

  expect(tunnel.status?.clientDeploymentRef).toBeUndefined();
  expect((await place.client())?.metadata.labels).toEqual({ app: 'theirs' });
  expect(place.writes()).toHaveLength(before);
  expect(await place.addresses()).toEqual([]);
  await place.env.delete('apps/v1', 'Deployment', place.namespace, 'nginx-1-tunnel-client');
  await place.ready(); // the place is free: nobody looks again by the clock before 5 minutes are over
});

test('IN8: a Tunnel with empty references in its status, as the original operator writes them, gets its client', async () => {
  const place = await startTunnels({ stopped: true });
  const { env, namespace } = place;
  await place.apply([service('db', { type: 'ClusterIP' })]);
  await place.apply([tunnelOf('old', { serviceRef: { name: 'db' } })]);
  const status = { hostStatus: '', authTokenRef: { name: '' }, clientDeploymentRef: {} };
  await env.patch(API, 'Tunnel', namespace, 'old', { status }, 'status');
  place.startOperator();

  const { status: now } = await place.ready('old');

  expect(now?.clientDeploymentRef).toEqual({ name: 'old-client', namespace });
  expect(now?.authTokenRef).toEqual({ name: 'old', namespace });
});

test('IN9, IN10: the licence is read from the Secret that the Tunnel refers to, and is not copied', async () => {
  const place = await startTunnels();
  const { env, namespace } = place;
  const serviceRef = { name: 'db' };
  await place.apply([service('db', { type: 'ClusterIP' })]);

  await place.apply([tunnelOf('own', { serviceRef, licenseRef: { name: 'mine' } })]);
  await place.apply([tunnelOf('usual', { serviceRef })]);
  await place.ready('own');
  await place.ready('usual');

  const volumes = async (name: string) =>
    (await place.client(name))?.spec?.template?.spec?.volumes?.map(
      (each) => each.secret?.secretName,
    );
  expect(await volumes('own-client')).toEqual(['own', 'mine']);
  expect(await volumes('usual-client')).toEqual(['usual', 'inlets-license']);
  const secrets = await env.list('v1', 'Secret', namespace);
  expect(secrets.map(({ metadata }) => metadata.name).sort()).toEqual(['own', 'usual']);
});

test('IN13: ports that are not TCP are reported, and a Service with only such ports gets no host', async () => {
  const place = await startTunnels();
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];

  await place.apply([service('both', { ports }), service('none', { ports: ports.slice(0, 1) })]);
  const both = await place.ready('both-tunnel');
  const none = await place.because('NothingToCarry', 'none-tunnel');

  const message = both.status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  expect(message).toContain('not 53/UDP');
  expect(none.status?.hostId).toBeUndefined();
  expect(place.provider.hosts.map(({ request }) => request.name)).toEqual(['both-tunnel']);
});

test('a lost token is not replaced if a host uses it', async () => {
  const place = await startTunnels(RESTLESS);
  await place.apply([service('nginx-1')]);
  await place.ready();

  await place.env.delete('v1', 'Secret', place.namespace, 'nginx-1-tunnel');
  await place.because('TokenMissing');
  await place.passes(3);
  const lost = await place.env.get('v1', 'Secret', place.namespace, 'nginx-1-tunnel');
  await place.env.delete(API, 'Tunnel', place.namespace, 'nginx-1-tunnel');
  await eventually(async () => (await place.addresses()).includes('203.0.113.2'));

  expect(lost).toBeUndefined();
});

const labels = { app: 'theirs' };

const foreignClient = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'nginx-1-tunnel-client', labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'theirs', image: 'theirs:1' }] },
      },
    },
  },
];
