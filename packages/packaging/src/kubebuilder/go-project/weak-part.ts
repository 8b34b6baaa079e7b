import { CREDENTIALS } from './own-names.ts';

/** Fields of a Pod that only the ambassador may set. */
const FIELDS: ReadonlySet<string> = new Set([
  'hostPath',
  'automountServiceAccountToken',
  'serviceAccount',
  'serviceAccountName',
  'serviceAccountToken',
]);

const SHARED: ReadonlySet<string> = new Set([
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'shareProcessNamespace',
]);

/** Matches the flag on a command line, even within a shell script. */
export const KUBECONFIG_FLAG: RegExp = /(?:^|[\s"'])--?kubeconfig(?:[=\s"']|$)/;

/**
 * The first setting in a Pod that bypasses the ambassador or exposes its token. Undefined when
 * there is none.
 *
 * @param part - the parsed value that a patch sets.
 */
export function weakPart(part: unknown): string | undefined {
  if (typeof part === 'string') {
    if (KUBECONFIG_FLAG.test(part)) return 'the flag --kubeconfig';
    return part === CREDENTIALS ? `the volume ${CREDENTIALS}` : undefined;
  }
  for (const [key, value] of Object.entries(Object(part) as Readonly<Record<string, unknown>>)) {
    const isSet = FIELDS.has(key) || (SHARED.has(key) && value !== false);
    if (isSet || key.startsWith('$')) return key;
    if (key === 'name' && value === 'KUBECONFIG') return 'the variable KUBECONFIG';
    if (key === 'restartPolicy' && value === 'Always') return 'restartPolicy';
    const found = weakPart(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
