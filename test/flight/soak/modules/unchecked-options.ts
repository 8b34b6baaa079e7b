/** Writes what it has not checked, and reads the rest in a timer, where nobody catches what that throws. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, pages, sites } from './sources.ts';

export default controller({
  name: 'options',
  for: sites,
  owns: [pages],
  async reconcile({ metadata: { name }, data = {} }, { applyOwned }) {
    await applyOwned(configMaps, { metadata: pageOf(name), data: { url: `${data.url}` } });
    setTimeout(() => JSON.parse(data.options ?? ''), 20);
  },
});
