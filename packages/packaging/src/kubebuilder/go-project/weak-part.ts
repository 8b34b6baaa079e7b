import { CREDENTIALS } from './own-names.ts';

/** Fields of a Pod that nobody may set but the ambassador. */
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

/** Of the command line, also in a text for a shell. */
export const KUBECONFIG_FLAG: RegExp = /(?:^|[\s"'])--?kubeconfig(?:[=\s"']|$)/;

/**
 * What in a part of a Pod leads around the ambassador, or to its token. Undefined when nothing does.
 *
 * @param part - what a patch sets, as parsed.
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
