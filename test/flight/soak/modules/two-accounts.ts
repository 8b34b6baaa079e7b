/** Creates an account with a generated name when its cache shows none, and its cache is behind. */
import { controller } from 'chancery';
import { serviceAccounts } from 'chancery/kubernetes';
import { sites } from './sources.ts';

export default controller({
  name: 'accounts',
  for: sites,
  reads: [serviceAccounts],
  permissions: [{ resource: serviceAccounts, verbs: ['create'] }],
  consistency: 'none',
  async reconcile({ metadata: { name, namespace = '' } }, { client, store }) {
    const accounts = store(serviceAccounts).list({ selector: `site=${name}` });
    if (accounts.length > 0) return;
    const metadata = { name: '', generateName: `${name}-`, namespace, labels: { site: name } };
    await client.create(serviceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  },
});
