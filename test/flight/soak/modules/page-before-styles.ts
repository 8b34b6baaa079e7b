/** Makes a page before the styles that it needs. */
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, pages, sites } from './sources.ts';

export default controller({
  name: 'order',
  for: sites,
  owns: [pages],
  async reconcile({ metadata: { name }, data = {} }, { applyOwned }) {
    if (data.styles === undefined) return;
    const page = pageOf(name);
    await applyOwned(configMaps, { metadata: page, data: { uses: `${name}-styles` } });
    const styles = { ...page, name: `${name}-styles` };
    await applyOwned(configMaps, { metadata: styles, data: { styles: data.styles } });
  },
});
