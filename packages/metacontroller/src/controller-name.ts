import { childName } from 'chancery';

/**
 * The name of a controller in logs and metrics, and of its field manager. It is a DNS label,
 * because the name of an object may have dots and 253 characters.
 */
export function controllerName(prefix: string, name: string, suffix = ''): string {
  return childName(name, { prefix, suffix, form: 'dns-label' });
}
