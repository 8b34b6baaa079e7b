import { type Source, source } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';

/** What the operators of this folder reconcile. */
export const sites: Source<ConfigMap> = source(configMaps, { labelSelector: 'app=site' });

/** What they make of it. */
export const pages: Source<ConfigMap> = source(configMaps, { labelSelector: 'app=page' });

/** The metadata of what is made for the site of this name. */
export function pageOf(site: string): { name: string; labels: Record<string, string> } {
  return { name: `${site}-page`, labels: { app: 'page' } };
}
