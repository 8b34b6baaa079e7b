import { DNS_LABEL, DNS_SUBDOMAIN } from 'chancery/internal-objects';

/**
 * Checks the format of a string in the API. Returns the problems of the string, in the words of Kubernetes'
 * own libraries. The list is empty for a valid string.
 */
type Form = (text: string) => readonly string[];

const NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const LABEL_PATTERN = new RegExp(`^${DNS_LABEL}$`);
const SUBDOMAIN_PATTERN = new RegExp(`^${DNS_SUBDOMAIN}$`);

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}

/** The message of Kubernetes' libraries: the sentence, then the examples and the pattern in brackets. */
function mismatch(sentence: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${sentence} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

function pattern(sentence: string, source: string, ...examples: readonly string[]): Form {
  const regex = whole(source);
  return (text) => (regex.test(text) ? [] : [mismatch(sentence, source, ...examples)]);
}

function atMost(limit: number, unit: 'bytes' | 'characters'): Form {
  return (text) =>
    Buffer.byteLength(text) > limit ? [`must be no more than ${limit} ${unit}`] : [];
}

function both(...forms: readonly Form[]): Form {
  return (text) => forms.flatMap((form) => form(text));
}

export const dnsSubdomain: Form = both(
  atMost(253, 'characters'),
  pattern(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    DNS_SUBDOMAIN,
    'example.com',
  ),
);

const labelPattern: Form = pattern(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  DNS_LABEL,
  'my-name',
  '123-abc',
);

/**
 * Requires a DNS label. There are separate messages for a label that is too long, and for a name with dots.
 */
export const dnsLabel: Form = both(atMost(63, 'characters'), (text) =>
  !LABEL_PATTERN.test(text) && SUBDOMAIN_PATTERN.test(text)
    ? ['must not contain dots']
    : labelPattern(text),
);

export const wildcardDnsSubdomain: Form = both(
  atMost(253, 'characters'),
  pattern(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    `\\*\\.${DNS_SUBDOMAIN}`,
    '*.example.com',
  ),
);

const NAME_SENTENCE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NAME_EXAMPLES = ['MyName', 'my.name', '123-abc'] as const;
const namePattern = pattern(NAME_SENTENCE, NAME, ...NAME_EXAMPLES);

/** Requires a key of labels or annotations: `name` or `prefix/name`. */
export function labelKey(text: string): readonly string[] {
  const parts = text.split('/');
  if (parts.length > 2) {
    const name = mismatch(NAME_SENTENCE, NAME, ...NAME_EXAMPLES);
    return [
      `a valid label key ${name} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? prefixProblems(parts[0] ?? '') : []), ...nameProblems(name)];
}

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return dnsSubdomain(prefix).map((why) => `prefix part ${why}`);
}

function nameProblems(name: string): readonly string[] {
  const length = name === '' ? ['must be non-empty'] : atMost(63, 'bytes')(name);
  return [...length, ...namePattern(name)].map((why) => `name part ${why}`);
}

export const labelValue: Form = both(
  atMost(63, 'bytes'),
  pattern(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    `(${NAME})?`,
    'MyValue',
    'my_value',
    '12345',
  ),
);

/** Requires a key of a ConfigMap or Secret, which must be usable as a file name. */
export const dataKey: Form = both(
  atMost(253, 'characters'),
  pattern(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    '[-._a-zA-Z0-9]+',
    'key.name',
    'KEY_NAME',
    'key-name',
  ),
  (text) => {
    if (text === '.' || text === '..') return [`must not be '${text}'`];
    return text.startsWith('..') ? ["must not start with '..'"] : [];
  },
);

export function environmentName(text: string): readonly string[] {
  if (/^[ -<>-~]*$/.test(text)) return [];
  return [
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ];
}

/** Requires a port name by RFC 6335, in lower case. */
export function portName(text: string): readonly string[] {
  return [
    ...atMost(15, 'characters')(text),
    ...(/^[-a-z0-9]+$/.test(text)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(text) ? [] : ['must contain at least one letter (a-z)']),
    ...(text.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(text) ? ['must not begin or end with a hyphen'] : []),
  ];
}

export const headerName: Form = pattern(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  '[-A-Za-z0-9]+',
  'X-Header-Name',
);

export const percentage: Form = pattern(
  "a valid percent string must be a numeric string followed by an ending '%'",
  '[0-9]+%',
  '1%',
  '93%',
);

/** Requires a name that can be a segment of a URL's path. */
export function pathSegment(text: string): readonly string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%']
    .filter((part) => text.includes(part))
    .map((part) => `may not contain '${part}'`);
}
