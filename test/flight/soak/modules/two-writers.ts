/** Two controllers decide the same field of a page. */
import { type Controller, controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { pageOf, pages, sites } from './sources.ts';

const owner = controller({
  name: 'owner',
  for: sites,
  owns: [pages],
  async reconcile({ metadata: { name } }, { applyOwned }) {
    await applyOwned(configMaps, { metadata: pageOf(name), data: { colour: 'blue' } });
  },
});

const guest = controller({
  name: 'guest',
  for: sites,
  owns: [pages],
  async reconcile({ metadata: { name, namespace }, data = {} }, { client, store }) {
    const target = { name: pageOf(name).name, namespace };
    const page = store(pages).get(target);
    if (data.guest !== 'yes' || page === undefined || page.data?.colour === 'red') return;
    const body = { data: { colour: 'red' } };
    await client.patch(configMaps, target, { type: 'merge', body });
  },
});

const both: readonly Controller[] = [owner, guest];
export default both;
