/** Trusts a wall clock that somebody sets: what is to be kept for an hour is gone at once. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, pages, sites } from './sources.ts';

export default controller({
  name: 'expiry',
  for: sites,
  owns: [pages],
  permissions: [{ resource: configMaps, verbs: ['delete'] }],
  async reconcile({ metadata: { name, namespace }, data = {} }, { applyOwned, client }) {
    const metadata = pageOf(name);
    if (Date.now() < Date.parse(data.untilTime ?? '')) {
      await applyOwned(configMaps, { metadata, data: { state: 'kept' } });
      return;
    }
    await client.delete(configMaps, { name: metadata.name, namespace });
    process.nextTick(() => {
      throw new Error(`nothing is left to do for ${name}`);
    });
  },
});
