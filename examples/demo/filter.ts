import { type ProxyFilter, proxyFilter } from 'chancery/low-level';
import configRestart from '../config-restart/operator.ts';

/** What the ambassador of the config-restart operator lets through, by the operator's declarations. */
export function filterOf(namespace: string): ProxyFilter {
  return proxyFilter([configRestart], { namespaces: [namespace] });
}
