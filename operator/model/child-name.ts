import { nodeCrypto } from '../core/builtin-modules.ts';
import { ConfigurationError } from '../core/errors.ts';
import {
  isDns1035Label,
  isDnsLabel,
  isDnsSubdomain,
  MAX_DNS_LABEL,
  MAX_DNS_SUBDOMAIN,
} from './dns-name.ts';
import { isLabelValue } from './selector.ts';

/** The format and the maximum length of a name. docs/guides/write/operators.md lists both for each kind. */
export interface ChildNameOptions {
  /** A word before the name, joined by `-`. If the word itself contains a `-`, the name gets a hash. */
  readonly prefix?: string;
  /** A word after the name, joined by `-`. If the word itself contains a `-`, the name gets a hash. */
  readonly suffix?: string;
  /**
   * - `dns-subdomain`, the default: the name of most objects. At most 253 characters from `a-z`, `0-9`, `-`
   *   and `.`.
   * - `dns-label`: the name of a Namespace, a StatefulSet or a container, and a host name. At most 63
   *   characters, without dots.
   * - `dns-1035-label`: the name of a Service. Like `dns-label`, but it begins with a letter.
   * - `label-value`: the value of a label. At most 63 letters, digits, `-`, `_` and `.`.
   */
  readonly form?: 'dns-subdomain' | 'dns-label' | 'dns-1035-label' | 'label-value';
  /**
   * Maximum number of characters, at least 14. Default: the maximum length of names in the format `form`. A
   * larger number is not allowed.
   */
  readonly maxLength?: number;
}

interface Form {
  readonly maxLength: number;
  readonly accepts: (text: string) => boolean;
  /**
   * Replaces every character in `text` that names of this format cannot contain. The first and the last
   * character may still be invalid.
   */
  readonly spelled: (text: string) => string;
  readonly isLetterFirst?: true;
}

const dnsLabel = (text: string): string => text.toLowerCase().replace(/[^a-z0-9-]/g, '-');

const FORMS: Readonly<Record<NonNullable<ChildNameOptions['form']>, Form>> = {
  'dns-subdomain': {
    maxLength: MAX_DNS_SUBDOMAIN,
    accepts: isDnsSubdomain,
    spelled: (text) =>
      text
        .toLowerCase()
        .replace(/[^a-z0-9.-]/g, '-')
        .replace(/-*\.[-.]*/g, '.'),
  },
  'dns-label': { maxLength: MAX_DNS_LABEL, accepts: isDnsLabel, spelled: dnsLabel },
  'dns-1035-label': {
    maxLength: MAX_DNS_LABEL,
    accepts: isDns1035Label,
    spelled: dnsLabel,
    isLetterFirst: true,
  },
  'label-value': {
    maxLength: MAX_DNS_LABEL,
    accepts: isLabelValue,
    spelled: (text) => text.replace(/[^A-Za-z0-9_.-]/g, '-'),
  },
};

/**
 * Number of characters of the hash, which makes names different, and of the digits that check the whole name.
 */
const [HASH_CHARS, CHECK_CHARS] = [8, 4];

/** Characters after a shortened text: a dash, the hash and its check digits. */
const ADDED_CHARS = 1 + HASH_CHARS + CHECK_CHARS;

/** Minimum length, which leaves one letter before the added characters. */
const LEAST_LENGTH = ADDED_CHARS + 1;

/** A name that can end with hash and check digits. */
const HASHED = /(?:^x?|-)[0-9a-v]{12}$/;

/**
 * The name of a child, or the value of a label, derived from the name of its parent.
 *
 * A name that fits is `prefix-name-suffix`, as a template string would produce it. A name that is too long,
 * or has characters that are not allowed, is shortened, keeps only allowed characters, and ends with a hash
 * of the whole input. The prefix and the suffix are shortened only if there is no room for them.
 *
 * The same input gives the same name in every process and release. Different inputs give different names,
 * unless their hashes, which have 40 bits, collide. So a name with a hash is never equal to a name without a
 * hash. One case is not distinguished: the parent `web-db` without a suffix results in the same name as the
 * parent `web` with the suffix `db`. So give all children of one kind a suffix, or none of them.
 *
 * @param name - the name of the parent.
 * @throws ConfigurationError `CONFIG` for an unknown `form`, and for a `maxLength` that is not allowed.
 */
export function childName(name: string, options: ChildNameOptions = {}): string {
  const { prefix = '', suffix = '' } = options;
  const { form, maxLength } = limitsOf(options);
  const plain = [prefix, name, suffix].filter((part) => part !== '').join('-');
  // The parent `a-b` with the suffix `c` gets the name `a-b-c`. The parent `a` with the suffix `b-c` would
  // get the same name, so it gets a hash.
  const isAmbiguous = name === '' || `${prefix}${suffix}`.includes('-');
  const fits = plain.length <= maxLength && form.accepts(plain);
  if (fits && !isAmbiguous && !isHashed(plain)) return plain;

  const room = maxLength - (form.isLetterFirst ? LEAST_LENGTH : ADDED_CHARS);
  const before = prefix === '' ? '' : `${prefix}-`;
  const after = suffix === '' ? '' : `-${suffix}`;
  const nameRoom = Math.max(room - before.length - after.length, 0);
  const text = form
    .spelled(`${before}${name.slice(0, nameRoom)}${after}`)
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, room)
    .replace(/[^A-Za-z0-9]+$/, '');
  const hash = digest(JSON.stringify([prefix, name, suffix]), HASH_CHARS);
  const hashed = text === '' ? hash : `${text}-${hash}`;
  const whole = form.isLetterFirst && /^[0-9]/.test(hashed) ? `x${hashed}` : hashed;
  return whole + digest(whole, CHECK_CHARS);
}

/**
 * True if `childName` may have added a hash to `text`: its last characters are check digits of the characters
 * before them. If a plain name looks like this, it gets a hash as well, so that it cannot be equal to the
 * name of another parent's child.
 */
function isHashed(text: string): boolean {
  if (!HASHED.test(text)) return false;
  return text.slice(-CHECK_CHARS) === digest(text.slice(0, -CHECK_CHARS), CHECK_CHARS);
}

/** Check digits in base 32, which has five bits per digit. */
function digest(text: string, chars: number): string {
  const hex = nodeCrypto().hash('sha256', text, 'hex');
  return BigInt(`0x${hex.slice(0, (chars * 5) / 4)}`)
    .toString(32)
    .padStart(chars, '0');
}

function limitsOf({ form = 'dns-subdomain', maxLength }: ChildNameOptions): {
  readonly form: Form;
  readonly maxLength: number;
} {
  if (!Object.hasOwn(FORMS, form)) {
    const known = Object.keys(FORMS).join(', ');
    throw new ConfigurationError(`the form of a child's name must be one of ${known}`, {
      context: { form: String(form) },
    });
  }
  const most = FORMS[form].maxLength;
  const length = maxLength ?? most;
  if (Number.isSafeInteger(length) && length >= LEAST_LENGTH && length <= most) {
    return { form: FORMS[form], maxLength: length };
  }
  throw new ConfigurationError(
    `maxLength of a child's name of the form ${form} must be a whole number from ${LEAST_LENGTH} to ${most}`,
    { context: { maxLength: String(maxLength) } },
  );
}
