/**
 * Variables that a script needs to find programs, to show text and time, and to know where it runs. None of them
 * holds a secret. `LC_` stands for all that begin with it.
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

/** Where programs are looked for when nothing is said: the default of Debian for users. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The environment of hooks and of their `--config` runs: the variables of an allow-list that are set, those that the
 * operator's own user names, and `CHANCERY_API_URL`, so that a hook can ask the ambassador. Everything else of this
 * process stays here.
 *
 * @param also - names given by `--hook-env`. Those that are not set are left out.
 */
export function hookEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  apiUrl: string,
  also: readonly string[] = [],
): Readonly<Record<string, string>> {
  const isAllowed = (name: string): boolean =>
    ALLOWED.includes(name) || name.startsWith('LC_') || also.includes(name);
  const allowed = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0]),
  );
  return { PATH: DEFAULT_PATH, ...Object.fromEntries(allowed), CHANCERY_API_URL: apiUrl };
}
