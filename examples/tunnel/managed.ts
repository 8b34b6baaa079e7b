import type { Service } from 'chancery/kubernetes';
import type { Settings } from './settings.ts';
import { GROUP } from './tunnel.ts';

/** By these a Service is taken or left, whatever the settings say. The second one is of 2021. */
export const MANAGE = `${GROUP}/manage`;
export const MANAGE_2021 = 'dev.inlets.manage';

/** What the original reads as a truth value, and nothing else. */
const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Of type LoadBalancer, of a class that is ours: no other implementation looks after it. */
export function isOurLoadBalancer({ spec }: Service, settings: Settings): boolean {
  if (spec?.type !== 'LoadBalancer') return false;
  const { loadBalancerClass } = spec;
  return loadBalancerClass === undefined
    ? settings.classless
    : loadBalancerClass === settings.loadBalancerClass;
}

/**
 * Whether the Service is to have a Tunnel. `unreadable`: it says something that is neither yes nor no,
 * and a host that somebody pays for is neither made nor given back because of a slip of the pen.
 */
export function isManaged(service: Service, settings: Settings): boolean | 'unreadable' {
  if (!isOurLoadBalancer(service, settings)) return false;
  const { annotations = {} } = service.metadata;
  const said = annotations[MANAGE] ?? annotations[MANAGE_2021];
  if (said === undefined) return !settings.annotatedOnly;
  if (TRUE.has(said)) return true;
  return FALSE.has(said) ? false : 'unreadable';
}
