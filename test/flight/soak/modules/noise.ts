/** Not at fault: it takes notice of large objects that others change, until the recorder has dropped its oldest segments. */
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default controller({
  name: 'noise',
  for: source(configMaps, { labelSelector: 'app=noise' }),
  async reconcile({ data = {} }, { log }) {
    log.warn({ round: data.round }, 'noise');
  },
});
