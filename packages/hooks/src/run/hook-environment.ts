import { programEnvironment } from 'chancery/internal';

/**
 * The environment of hooks and of their `--config` runs: that of programs, and `CHANCERY_API_URL`, so that a hook can
 * ask the ambassador.
 *
 * @param also - names given by `--hook-env`. Those that are not set are left out.
 */
export function hookEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  apiUrl: string,
  also: readonly string[] = [],
): Readonly<Record<string, string>> {
  return { ...programEnvironment(environment, also), CHANCERY_API_URL: apiUrl };
}
