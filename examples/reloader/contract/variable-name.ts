/** Resource → the name of the environment variable that records its hash. */
import { createHash } from 'node:crypto';
import type { ResourceRef } from './resource-type.ts';

const PREFIX = 'STAKATER_';

/** Enough to tell apart the few names of a namespace that make the same variable. */
const SUFFIX_DIGITS = 8;

/**
 * The variable that the original writes: `STAKATER_APP_CONFIG_CONFIGMAP`. The name of the resource in upper case,
 * each run of other characters than A to Z and 0 to 9 as one `_`, without one at the begin. A run at the end
 * stays, and the type follows after another `_`.
 *
 * Several names make the same variable: `a-b` and `a.b`. See `suffixedVariableName`.
 */
export function variableName({ type, name }: ResourceRef): string {
  const words = name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_/, '');
  return `${PREFIX}${words}_${type}`;
}

/**
 * The variable of a resource whose plain variable belongs to another resource: the plain one, `_`, and the first
 * 8 digits of the SHA-1 of the name. It depends on the resource alone: more resources change no name.
 */
export function suffixedVariableName(ref: ResourceRef): string {
  const digest = createHash('sha1').update(ref.name).digest('hex');
  return `${variableName(ref)}_${digest.slice(0, SUFFIX_DIGITS).toUpperCase()}`;
}
