/**
 * Variables that a script needs to find programs, to format text and time, and to know where it runs. None of
 * them contains a secret. `LC_` stands for all variables that begin with it.
 */
const ALLOWED: readonly string[] = [
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'HOSTNAME',
  'POD_NAME',
  'POD_NAMESPACE',
];

/** The search path for programs if `PATH` is not set: the default of Debian for users. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The environment of programs that the user of the operator has written. It contains the variables of an
 * allow-list, as far as they are set, and the variables that the user requests. No other variable of this
 * process is passed on.
 *
 * @param also - names of further variables. Variables that are not set are omitted.
 */
export function programEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  also: readonly string[] = [],
): Readonly<Record<string, string>> {
  const isAllowed = (name: string): boolean =>
    ALLOWED.includes(name) || name.startsWith('LC_') || also.includes(name);
  const allowed = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0]),
  );
  return { PATH: DEFAULT_PATH, ...Object.fromEntries(allowed) };
}
