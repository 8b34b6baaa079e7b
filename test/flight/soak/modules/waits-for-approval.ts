/** Publishes a page when its approval is there, whatever that says, and then waits for ever, past its signal. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, pages, sites } from './sources.ts';

export default controller({
  name: 'approval',
  for: sites,
  owns: [pages],
  maxReconcileAgeMs: 1,
  async reconcile({ metadata: { name, namespace } }, { applyOwned, clock, log, store }) {
    if (name.endsWith('-approval')) return;
    const metadata = pageOf(name);
    await applyOwned(configMaps, { metadata, data: { state: 'draft' } });
    log.warn({}, 'waits');
    while (store(sites).get({ namespace, name: `${name}-approval` }) === undefined) {
      await new Promise<void>((resolve) => clock.schedule(100, resolve));
    }
    await applyOwned(configMaps, { metadata, data: { state: 'published' } });
    await new Promise(() => {});
  },
});
