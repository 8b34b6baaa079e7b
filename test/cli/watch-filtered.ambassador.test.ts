/** `chancery watch` behind the filter and with the roles that are made of a declaration. */

import { ApiServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../operator/access/rbac.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { startProxy } from '../support/cluster.ts';
import { invoke } from './invocation.ts';
import { configMap, summary } from './printed.ts';

const hello = controller({
  name: 'hello',
  for: source(configMaps),
  reconcile: async () => {},
});
const PLACEMENT = { namespaces: ['demo'] };

async function filteredCluster() {
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const serviceAccount = { name: 'op', namespace: 'demo' };
  for (const object of rbac([hello], { ...PLACEMENT, name: 'op', serviceAccount })) {
    server.create(object as unknown as KubernetesObject);
  }
  server.create(configMap('a'));
  const user = await server.urlFor('system:serviceaccount:demo:op');
  return { server, url: (await startProxy(user, proxyFilter([hello], PLACEMENT))).url };
}

test('[attack A-9] behind the generated filter, `watch` can follow a core resource given by its path', async () => {
  const { server, url } = await filteredCluster();

  const { stdout } = invoke(['watch', '/api/v1/namespaces/demo/configmaps', '--server', url]);
  await stdout.until(() => summary(stdout.lines).includes('ADDED a'));
  server.create(configMap('b'));
  await stdout.until(() => summary(stdout.lines).includes('ADDED b'));

  expect(summary(stdout.lines)).toEqual(['ADDED a', 'ADDED b']);
});

test('[attack A-9] if the filter refuses discovery for a name, the log advises to give a path', async () => {
  const { url } = await filteredCluster();

  const { stderr } = invoke(['watch', 'configmaps', '-n', 'demo', '--server', url]);
  await stderr.until(() => stderr.lines.length > 0);

  expect(stderr.records[0]).toMatchObject({
    reason: 'filtered',
    hint: expect.stringContaining('/api/v1/namespaces/demo/configmaps'),
  });
});
