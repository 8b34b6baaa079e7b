import type { CacheSize } from '../../../../operator/generate/lint/cache-memory.ts';
import type { Manifests } from '../good.ts';
import { plain } from '../good.ts';

/** One way to break a rule, and what is said about it. */
export interface Canary {
  readonly rule: string;
  /** What somebody did. */
  readonly does: string;
  /** Object and path of the diagnostic. */
  readonly at: string;
  readonly level?: 'warning';
  /** Words of the message. */
  readonly says?: string;
  readonly broken: () => Manifests;
  /** What the caches of the operator hold, where the rule asks for it. */
  readonly caches?: CacheSize;
  /** Other rules that it breaks as well. */
  readonly also?: readonly string[];
}

export const POD = 'Deployment/op ';
export const PROXY = `${POD}containers[proxy]`;
export const OPERATOR = `${POD}containers[operator]`;

/** A role with one more rule, and a path for it, so that only the rule itself is wrong. */
export function granting(rule: object, path?: string): Manifests {
  const manifests = plain().push('Role.rules', { apiGroups: [''], ...rule });
  return path === undefined
    ? manifests
    : manifests.replace('proxy.args.0', '^/version$', `^/version$,${path}`);
}

export function withVariable(container: 'proxy' | 'operator', variable: object): Manifests {
  return plain().push(`${container}.env`, variable);
}
