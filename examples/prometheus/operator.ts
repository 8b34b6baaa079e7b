import {
  type Controller,
  controller,
  enqueueMapped,
  generationChanged,
  type ObjectKey,
  secrets,
  services,
  source,
  splitKey,
  statefulSets,
} from 'chancery';
import { MANAGED_BY } from './children.ts';
import { createReconciler } from './reconcile.ts';
import { type Prometheus, prometheuses, serviceMonitors } from './resources.ts';

/** Of Secrets, nobody else's come into its memory. */
const ours = { labelSelector: MANAGED_BY };

export function prometheusController(): Controller<Prometheus> {
  // A mapping is shown the ServiceMonitor and no cache; every Prometheus there is comes by here first.
  const known = new Set<ObjectKey>();
  return controller({
    name: 'prometheus',
    for: prometheuses,
    predicate: generationChanged,
    owns: [source(statefulSets, ours), source(services, ours), source(secrets, ours)],
    watches: [
      enqueueMapped(source(serviceMonitors), ({ metadata }) =>
        [...known].filter((key) => splitKey(key).namespace === metadata.namespace),
      ),
    ],
    reconcile: createReconciler(known),
  });
}

export default prometheusController();
