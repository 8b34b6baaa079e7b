/** The environment of hooks, and of their `--config` runs: variables of an allow-list, and nothing else. */
export declare function hookEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  also: readonly string[],
): Record<string, string>;
