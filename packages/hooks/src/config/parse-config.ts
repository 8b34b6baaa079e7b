import type { HookConfig } from '../hook.ts';
import { parseV0 } from './config-v0.ts';
import { parseV1 } from './config-v1.ts';
import { formOf, refuse } from './fields.ts';

/**
 * Fields that exist only in v1. If one of them is present, the author has forgotten
 * `configVersion`.
 */
const ONLY_V1 = /^(?:settings|kubernetes[A-Za-z]*)$/;

/**
 * The answer of a hook to `--config`, with every default filled in. An answer without
 * `configVersion` is read as version v0.
 *
 * @throws ConfigurationError `CONFIG` for the first invalid field, with its path:
 * `kubernetes[0].kind: is required, and is not given`.
 */
export function parseConfig(value: unknown): HookConfig {
  if (formOf(value) !== 'a mapping') refuse('', `expected a mapping, got ${formOf(value)}`);
  const { configVersion: version } = value as { readonly configVersion?: unknown };
  const fields = Object.keys(value as object).filter((name) => name !== 'configVersion');
  if (fields.length === 0) refuse('', 'expected at least one binding, such as onStartup: 1');
  if (version === undefined) {
    const later = fields.find((name) => ONLY_V1.test(name));
    if (later !== undefined)
      refuse('configVersion', `is required for ${later}: write configVersion: v1`);
    return parseV0({ value, path: '' });
  }
  if (version === 'v1') return parseV1({ value, path: '' });
  return refuse('configVersion', 'expected v1, or no configVersion for the oldest form');
}
