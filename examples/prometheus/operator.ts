import { controller, enqueueMapped, generationChanged, keyOf, source } from 'chancery';
import { secrets, services, statefulSets } from 'chancery/kubernetes';
import { MANAGED_BY } from './children.ts';
import { reconcile } from './reconcile.ts';
import { prometheuses, serviceMonitors } from './resources.ts';

/** Of Secrets, nobody else's come into its memory. */
const ours = { labelSelector: MANAGED_BY };

export default controller({
  name: 'prometheus',
  for: prometheuses,
  predicate: generationChanged,
  owns: [source(statefulSets, ours), source(services, ours), source(secrets, ours)],
  watches: [
    enqueueMapped(serviceMonitors, ({ metadata: { namespace = '' } }, { store }) =>
      store(prometheuses).list({ namespace }).map(keyOf),
    ),
  ],
  reconcile,
});
