import { ConfigurationError } from '../../core/errors.ts';

export interface HardenedOptions {
  readonly proxyPort?: number;
  readonly unixSocket?: boolean;
  readonly ambassadorImage?: string;
}

export interface HardenedProject {
  readonly files: ReadonlyMap<string, string>;
  readonly messages: readonly string[];
}

export function hardened(
  files: ReadonlyMap<string, string>,
  _options: HardenedOptions,
): HardenedProject {
  throw new ConfigurationError(`the transformation of ${files.size} files is not there yet`);
}
