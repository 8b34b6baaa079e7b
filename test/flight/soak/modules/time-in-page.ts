/** States the time in its page: each write causes the next reconcile. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, pages, sites } from './sources.ts';

export default controller({
  name: 'page',
  for: sites,
  owns: [pages],
  async reconcile({ metadata: { name }, data = {} }, { applyOwned }) {
    const shown = { ...data, writtenTime: new Date().toISOString() };
    await applyOwned(configMaps, { metadata: pageOf(name), data: shown });
  },
});
