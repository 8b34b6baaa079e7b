import type { Desired } from 'chancery';
import type { Service } from 'chancery/kubernetes';
import { MANAGED, ROLE } from '../labels.ts';
import type { Cluster } from '../resources.ts';

/**
 * NAME, all Pods, for the names `NAME-0.NAME`, and NAME-read. Both are headless: clients speak to the
 * Pods themselves, so that mysqld has to listen on the very port.
 */
export function servicesOf({ metadata: { name }, spec }: Cluster): readonly Desired<Service>[] {
  const all = { app: name };
  // One that is alone serves reads as well.
  const readers = spec.replicas > 1 ? { ...all, [ROLE]: 'replica' } : all;
  return [headless(name, name, spec.port, all), headless(`${name}-read`, name, spec.port, readers)];
}

function headless(
  name: string,
  app: string,
  port: number,
  selector: Readonly<Record<string, string>>,
): Desired<Service> {
  return {
    metadata: { name, labels: { ...MANAGED, app } },
    spec: { clusterIP: 'None', ports: [{ name: 'mysql', port }], selector },
  };
}
