import { programEnvironment } from 'chancery/internal';

/**
 * The environment of hooks and of their `--config` runs: the usual environment of programs, and
 * `CHANCERY_API_URL`, with which a hook can reach the ambassador.
 *
 * @param also - names given by `--hook-env`. Variables that are not set are skipped.
 */
export function hookEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  apiUrl: string,
  also: readonly string[] = [],
): Readonly<Record<string, string>> {
  return { ...programEnvironment(environment, also), CHANCERY_API_URL: apiUrl };
}
