import { type KnownFlag, readCommandLine } from '../../core/go/pflag.ts';

/** A flag or another word in the arguments of `kubectl proxy`. */
export interface ProxyWord {
  readonly value: string;
  /** Index of the argument that contains the word. */
  readonly at: number;
}

/** The arguments of a `kubectl proxy`, as kubectl parses them. */
export interface ProxyFlags {
  /** Flags, keyed by their long names. If a flag is given twice, kubectl uses the last one. */
  readonly values: ReadonlyMap<string, ProxyWord>;
  /** Arguments that belong to no flag. */
  readonly words: readonly ProxyWord[];
  /** Flags that kubectl does not know. kubectl exits at once when it gets such a flag. */
  readonly unknown: readonly ProxyWord[];
}

/** Flags that need a value. The letters are their shorthands. */
const WITH_VALUE: Readonly<Record<string, KnownFlag>> = {
  'accept-hosts': {},
  'accept-paths': {},
  address: {},
  'api-prefix': {},
  as: {},
  'as-group': {},
  'as-uid': {},
  'as-user-extra': {},
  'cache-dir': {},
  'certificate-authority': {},
  'client-certificate': {},
  'client-key': {},
  cluster: {},
  context: {},
  keepalive: {},
  kubeconfig: {},
  kuberc: {},
  'log-flush-frequency': {},
  namespace: { shorthand: 'n' },
  password: {},
  port: { shorthand: 'p' },
  profile: {},
  'profile-output': {},
  'reject-methods': {},
  'reject-paths': {},
  'request-timeout': {},
  server: { shorthand: 's' },
  'tls-server-name': {},
  token: {},
  'unix-socket': { shorthand: 'u' },
  user: {},
  username: {},
  v: { shorthand: 'v' },
  vmodule: {},
  www: { shorthand: 'w' },
  'www-prefix': { shorthand: 'P' },
};

/** Flags that take a value only after an equals sign. */
const BOOLEAN: readonly string[] = [
  'append-server-path',
  'disable-compression',
  'disable-filter',
  'insecure-skip-tls-verify',
  'match-server-version',
  'warnings-as-errors',
];

/** The flags in `kubectl proxy --help` and `kubectl options`. */
const KNOWN: Readonly<Record<string, KnownFlag>> = {
  ...WITH_VALUE,
  ...Object.fromEntries(BOOLEAN.map((name) => [name, { valueIfNone: 'true' }])),
};

/** Parses the arguments of a container that runs `kubectl proxy`. */
export function proxyFlags(args: readonly string[]): ProxyFlags {
  const values = new Map<string, ProxyWord>();
  const words: ProxyWord[] = [];
  const unknown: ProxyWord[] = [];
  for (const word of readCommandLine(args, KNOWN)) {
    const { at } = word;
    if (word.type === 'positional') words.push({ value: word.value, at });
    else if (word.type === 'unknown') unknown.push({ value: word.text, at });
    else values.set(word.name, { value: word.type === 'flag' ? word.value : '', at });
  }
  return { values, words, unknown };
}

/**
 * The elements of a list flag. kubectl splits at every comma, and reads an empty value as an empty
 * list.
 */
export function elementsOf(value: string): readonly string[] {
  return value === '' ? [] : value.split(',');
}
