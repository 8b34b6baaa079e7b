/** A flag of `kubectl proxy` in the arguments of a container. */
export interface GivenFlag {
  readonly value: string;
  /** Index of the argument that contains it. */
  readonly at: number;
}

/** The arguments of a `kubectl proxy`, parsed as kubectl does. */
export interface ProxyFlags {
  /** By long name. If a flag is given twice, kubectl uses the last one. */
  readonly given: ReadonlyMap<string, GivenFlag>;
  /** Arguments that belong to no flag. */
  readonly words: readonly GivenFlag[];
}

const LONG_NAME: Readonly<Record<string, string>> = {
  P: 'www-prefix',
  n: 'namespace',
  p: 'port',
  s: 'server',
  u: 'unix-socket',
  v: 'v',
  w: 'www',
};

/** Flags without a separate value: a value needs an equals sign. */
const BOOLEAN = new Set([
  'append-server-path',
  'disable-compression',
  'disable-filter',
  'insecure-skip-tls-verify',
  'match-server-version',
  'warnings-as-errors',
]);

/** Parses arguments: `--port=1`, `--port 1`, `-p=1`, `-p1` and `-p 1` are the same. */
export function proxyFlags(args: readonly string[]): ProxyFlags {
  const given = new Map<string, GivenFlag>();
  const words: GivenFlag[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const [, dashes, name = '', rest = ''] = /^(--|-)([^-=][^=]*)(=.*)?$/s.exec(arg) ?? [];
    if (dashes === undefined) {
      words.push({ value: arg, at });
      continue;
    }
    const isLong = dashes === '--';
    const long = isLong ? name : (LONG_NAME[name.charAt(0)] ?? name);
    const attached = isLong || name.length === 1 ? rest : `=${name.slice(1)}${rest}`;
    if (attached !== '') given.set(long, { value: attached.slice(1), at });
    else if (BOOLEAN.has(long)) given.set(long, { value: 'true', at });
    else given.set(long, { value: args[at + 1] ?? '', at: at++ });
  }
  return { given, words };
}

/** The elements of a list flag: kubectl splits at every comma, and reads an empty value as an empty list. */
export function elementsOf(value: string): readonly string[] {
  return value === '' ? [] : value.split(',');
}
